//! An order, and the accesses in it: that of the device, and that of each capture.

use super::access::Planned;
use super::history::{History, Recorded};
use super::memory::{Extent, Space};
use super::order::{Order, Step};
use crate::backend::StreamHandle;

/// Streams, and what they use.
#[derive(Debug)]
pub(super) struct World {
    pub(super) order: Order,
    /// Whether it is a capture's, in which the host does nothing.
    captured: bool,
    device: History,
    host: History,
}

/// An access that is not ordered after an earlier one.
#[derive(Debug)]
pub(super) struct Conflict<'a> {
    pub(super) earlier: Recorded,
    pub(super) later: &'a Planned,
    /// The bytes of both.
    pub(super) extent: Extent,
    pub(super) certain: bool,
}

impl World {
    pub(super) fn new() -> Self {
        Self { order: Order::new(), captured: false, device: History::default(), host: History::default() }
    }

    /// That of a capture which begins on `origin`.
    pub(super) fn captured_from(origin: StreamHandle) -> Self {
        let mut world = Self { captured: true, ..Self::new() };
        world.order.ensure(origin);
        world
    }

    fn history(&self, space: Space) -> &History {
        match space {
            Space::Device => &self.device,
            Space::Host => &self.host,
        }
    }

    /// What the accesses of `step` meet that does not come before them.
    pub(super) fn conflicts<'a>(&self, step: Step, planned: &'a [Planned]) -> Vec<Conflict<'a>> {
        let mut conflicts = Vec::new();
        for later in planned.iter().filter(|planned| !(self.captured && planned.by_host)) {
            let before = if later.by_host { self.order.host() } else { self.order.before(step) };
            self.history(later.extent.space).overlapping(&later.extent.range, |earlier, range| {
                if earlier.kind.conflicts(later.kind) && !before.covers(earlier.step) {
                    let extent = Extent { space: later.extent.space, range };
                    let certain = earlier.kind.certain && later.kind.certain;
                    add(&mut conflicts, Conflict { earlier: *earlier, later, extent, certain });
                }
            });
        }
        conflicts
    }

    /// Remembers the accesses of `step`, which is enqueued. Returns how much had to be forgotten.
    pub(super) fn commit(&mut self, step: Step, stream: StreamHandle, planned: &[Planned]) -> usize {
        self.order.advance(step);
        let mut forgotten = 0;
        for Planned { extent, kind, site, by_host } in planned {
            // What the host has done comes before all that it enqueues afterwards.
            if *by_host {
                continue;
            }
            let access = Recorded { step, stream, kind: *kind, site: *site };
            let history = match extent.space {
                Space::Device => &mut self.device,
                Space::Host => &mut self.host,
            };
            forgotten += history.insert(&extent.range, access, self.order.before(step), self.order.host());
        }
        forgotten
    }

    /// A step failed: it uses nothing.
    pub(super) fn retract(&mut self, step: Step) {
        self.device.retract(step);
        self.host.retract(step);
    }

    /// Forgets who used an extent.
    pub(super) fn forget(&mut self, extent: &Extent) {
        match extent.space {
            Space::Device => self.device.forget(&extent.range),
            Space::Host => self.host.forget(&extent.range),
        }
    }

    /// Whether something in an extent is remembered.
    pub(super) fn uses(&self, extent: &Extent) -> bool {
        let mut uses = false;
        self.history(extent.space).overlapping(&extent.range, |_, _| uses = true);
        uses
    }

    /// All accesses, as those of one piece of work.
    pub(super) fn accesses(&self) -> impl Iterator<Item = Planned> {
        [(Space::Device, &self.device), (Space::Host, &self.host)].into_iter().flat_map(|(space, history)| {
            history.all().map(move |(range, access)| Planned {
                extent: Extent { space, range },
                kind: access.kind,
                site: access.site,
                by_host: false,
            })
        })
    }
}

/// Adds a conflict, where the same two accesses did not meet elsewhere; then a neighbour makes the bytes more, and one that
/// is certain takes the place of one that is not.
fn add<'a>(conflicts: &mut Vec<Conflict<'a>>, new: Conflict<'a>) {
    let same = conflicts.iter_mut().find(|known| {
        known.earlier.step == new.earlier.step
            && known.earlier.site == new.earlier.site
            && known.later.site == new.later.site
    });
    match same {
        None => conflicts.push(new),
        Some(known) if new.certain && !known.certain => *known = new,
        Some(known) if known.certain == new.certain && known.extent.range.end == new.extent.range.start => {
            known.extent.range.end = new.extent.range.end;
        }
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::diagnose::hazard::access::{Kind, Site};

    const A: StreamHandle = StreamHandle::new(10);
    const B: StreamHandle = StreamHandle::new(11);
    const LAUNCHES: u64 = 1_000_000;

    fn write(range: std::ops::Range<u64>) -> [Planned; 1] {
        [Planned {
            extent: Extent { space: Space::Device, range },
            kind: Kind::WRITE,
            site: Site { what: "test", parameter: "test", location: Some(Location::caller()), graph: None },
            by_host: false,
        }]
    }

    impl World {
        fn with_streams() -> Self {
            let mut world = Self::new();
            world.order.create(A);
            world.order.create(B);
            world
        }

        /// Returns how many pieces are remembered then.
        fn launch(&mut self, stream: StreamHandle, planned: &[Planned]) -> usize {
            let step = self.order.next(stream);
            assert!(self.conflicts(step, planned).is_empty(), "what is ordered is no conflict");
            assert_eq!(self.commit(step, stream, planned), 0, "nothing that matters is forgotten");
            self.device.len() + self.host.len()
        }
    }

    #[test]
    fn a_million_launches_on_two_streams_in_turn_need_no_more_memory_than_a_few() {
        let mut world = World::with_streams();
        let mut most = 0;
        for launch in 0..LAUNCHES {
            let (stream, other) = if launch % 2 == 0 { (A, B) } else { (B, A) };
            let mark = world.order.mark(other);
            world.order.wait(stream, &mark);
            // Eight places in turn, now and then with borders of their own.
            let start = launch % 8 * 100 + if launch % 50 == 0 { launch % 60 } else { 0 };
            most = most.max(world.launch(stream, &write(start..start + 80)));
        }
        assert!(most <= 100, "{most} pieces");
    }

    #[test]
    fn what_the_host_waits_for_now_and_then_is_forgotten_wherever_it_was() {
        let mut world = World::with_streams();
        let mut most = 0;
        for launch in 0..LAUNCHES / 5 {
            let stream = if launch % 2 == 0 { A } else { B };
            most = most.max(world.launch(stream, &write(launch * 10..launch * 10 + 5)));
            if launch % 500 == 0 {
                let mark = world.order.mark_of_all();
                world.order.host_waited(&mark);
            }
        }
        assert!(most <= 2048, "{most} pieces");
    }
}
