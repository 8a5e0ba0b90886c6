//! Who used which bytes last.

use std::collections::BTreeMap;
use std::ops::Range;

use smallvec::SmallVec;

use super::access::{Kind, Site};
use super::order::{Clock, Step};
use crate::backend::StreamHandle;

/// How many pieces are remembered at most. Past that the older half is forgotten.
const PIECES: usize = 1 << 18;

/// A remembered access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Recorded {
    pub(super) step: Step,
    pub(super) stream: StreamHandle,
    pub(super) kind: Kind,
    pub(super) site: Site,
}

impl Recorded {
    /// Whether whatever conflicts with `earlier`, and does not come after it, conflicts with this and does not come after it.
    fn replaces(&self, earlier: &Self, before: &Clock) -> bool {
        let (kind, other) = (self.kind, earlier.kind);
        (kind.writes || !other.writes)
            && (kind.certain || !other.certain)
            && (!kind.commutes || other.commutes)
            && (earlier.step == self.step || before.covers(earlier.step))
    }
}

type Accesses = SmallVec<[Recorded; 2]>;

#[derive(Clone, Debug)]
struct Piece {
    end: u64,
    accesses: Accesses,
}

/// For each byte of an address space, the accesses that something may still conflict with.
#[derive(Debug)]
pub(super) struct History {
    pieces: BTreeMap<u64, Piece>,
    /// How many pieces are remembered at most.
    most: usize,
    /// How many pieces there may be before those are looked for that the host has waited for.
    sweep_at: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { pieces: BTreeMap::new(), most: PIECES, sweep_at: 0 }
    }
}

impl History {
    /// Calls `found` with each access that overlaps.
    pub(super) fn overlapping(&self, range: &Range<u64>, mut found: impl FnMut(&Recorded, Range<u64>)) {
        let first = self.first_reaching(range.start);
        for (start, piece) in self.pieces.range(first..range.end) {
            let common = range.start.max(*start)..range.end.min(piece.end);
            if common.start < common.end {
                piece.accesses.iter().for_each(|access| found(access, common.clone()));
            }
        }
    }

    /// The start of the piece that reaches past `at`, or `at`.
    fn first_reaching(&self, at: u64) -> u64 {
        match self.pieces.range(..=at).next_back() {
            Some((start, piece)) if piece.end > at => *start,
            _ => at,
        }
    }

    /// Remembers an access, and forgets those that it replaces. `before` is what comes before it, and `host` what the host has
    /// waited for, which nothing conflicts with any more.
    ///
    /// Returns how many pieces had to be forgotten.
    pub(super) fn insert(
        &mut self,
        range: &Range<u64>,
        access: Recorded,
        before: &Clock,
        host: &Clock,
    ) -> usize {
        if range.is_empty() {
            return 0;
        }
        let update = |accesses: &mut Accesses| {
            accesses.retain(|earlier| !host.covers(earlier.step) && !access.replaces(earlier, before));
            accesses.push(access);
        };
        match self.pieces.get_mut(&range.start) {
            Some(piece) if piece.end == range.end => {
                update(&mut piece.accesses);
                return 0;
            }
            _ => {}
        }
        self.split(range.start);
        self.split(range.end);
        let starts: SmallVec<[u64; 8]> =
            self.pieces.range(range.start..range.end).map(|(start, _)| *start).collect();
        // The pieces in the range, and the gaps between them, each with the access; neighbours that are alike become one.
        let mut updated: SmallVec<[(u64, Piece); 8]> = SmallVec::new();
        let mut add = |start: u64, end: u64, mut accesses: Accesses| {
            update(&mut accesses);
            match updated.last_mut() {
                Some((_, last)) if last.accesses == accesses => last.end = end,
                _ => updated.push((start, Piece { end, accesses })),
            }
        };
        let mut at = range.start;
        for start in starts {
            let Some(piece) = self.pieces.remove(&start) else { continue };
            if at < start {
                add(at, start, Accesses::new());
            }
            at = piece.end;
            add(start, piece.end, piece.accesses);
        }
        if at < range.end {
            add(at, range.end, Accesses::new());
        }
        self.pieces.extend(updated);
        self.bound(host)
    }

    /// Makes `at` the border of two pieces, where it lies within one.
    fn split(&mut self, at: u64) {
        let Some((_, piece)) = self.pieces.range_mut(..at).next_back().filter(|(_, piece)| piece.end > at)
        else {
            return;
        };
        let rest = piece.clone();
        piece.end = at;
        self.pieces.insert(at, rest);
    }

    fn bound(&mut self, host: &Clock) -> usize {
        if self.pieces.len() <= self.sweep_at.max(1024) {
            return 0;
        }
        self.retain(|access| !host.covers(access.step));
        let before = self.pieces.len();
        if before > self.most {
            let newest = |piece: &Piece| piece.accesses.iter().map(|access| access.step.number).max();
            let mut numbers: Vec<_> = self.pieces.values().map(newest).collect();
            let (_, middle, _) = numbers.select_nth_unstable(before / 2);
            let middle = *middle;
            self.pieces.retain(|_, piece| newest(piece) > middle);
        }
        self.sweep_at = (2 * self.pieces.len()).min(self.most);
        before - self.pieces.len()
    }

    fn retain(&mut self, keep: impl Fn(&Recorded) -> bool) {
        self.pieces.retain(|_, piece| {
            piece.accesses.retain(|access| keep(access));
            !piece.accesses.is_empty()
        });
    }

    /// Forgets a step that did not come to be.
    pub(super) fn retract(&mut self, step: Step) {
        self.retain(|access| access.step != step);
    }

    /// Forgets all accesses to a range.
    pub(super) fn forget(&mut self, range: &Range<u64>) {
        self.split(range.start);
        self.split(range.end);
        let starts: Vec<u64> = self.pieces.range(range.start..range.end).map(|(start, _)| *start).collect();
        for start in starts {
            self.pieces.remove(&start);
        }
    }

    /// All that is remembered.
    pub(super) fn all(&self) -> impl Iterator<Item = (Range<u64>, &Recorded)> {
        self.pieces.iter().flat_map(|(start, piece)| {
            let range = *start..piece.end;
            piece.accesses.iter().map(move |access| (range.clone(), access))
        })
    }

    /// How many pieces are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::diagnose::hazard::order::Order;

    const A: StreamHandle = StreamHandle::new(10);
    const B: StreamHandle = StreamHandle::new(11);
    const READ: Kind = Kind::READ;
    const WRITE: Kind = Kind::WRITE;

    struct Setup {
        order: Order,
        history: History,
    }

    impl Setup {
        fn new() -> Self {
            let mut order = Order::new();
            order.create(A);
            order.create(B);
            Self { order, history: History::default() }
        }

        fn work(&mut self, stream: StreamHandle, range: Range<u64>, kind: Kind) -> u64 {
            let step = self.order.next(stream);
            self.order.advance(step);
            let site =
                Site { what: "test", parameter: "test", location: Some(Location::caller()), graph: None };
            let access = Recorded { step, stream, kind, site };
            self.history.insert(&range, access, self.order.before(step), self.order.host());
            step.number
        }

        /// The numbers of the steps that are remembered, by piece.
        fn pieces(&self) -> Vec<(Range<u64>, Vec<u64>)> {
            let numbers = |piece: &Piece| piece.accesses.iter().map(|access| access.step.number).collect();
            self.history.pieces.iter().map(|(start, piece)| (*start..piece.end, numbers(piece))).collect()
        }
    }

    #[test]
    fn a_piece_is_split_where_another_begins_or_ends() {
        let mut setup = Setup::new();
        let whole = setup.work(A, 0..100, READ);
        let middle = setup.work(B, 40..60, WRITE);
        let over = setup.work(B, 90..120, READ);
        assert_eq!(
            setup.pieces(),
            [
                (0..40, vec![whole]),
                (40..60, vec![whole, middle]),
                (60..90, vec![whole]),
                (90..100, vec![whole, over]),
                (100..120, vec![over]),
            ]
        );
    }

    #[test]
    fn a_write_that_comes_after_all_stands_for_all() {
        let mut setup = Setup::new();
        setup.work(A, 0..40, READ);
        setup.work(A, 20..100, WRITE);
        setup.work(B, 60..70, READ);
        let mark = setup.order.mark(A);
        setup.order.wait(B, &mark);
        let write = setup.work(B, 0..100, WRITE);
        assert_eq!(setup.pieces(), [(0..100, vec![write])], "and the pieces are one again");
    }

    #[test]
    fn a_graph_that_writes_the_same_again_and_again_has_written_once() {
        let mut setup = Setup::new();
        let step = setup.order.next(A);
        setup.order.advance(step);
        for _ in 0..10 {
            let site =
                Site { what: "test", parameter: "test", location: Some(Location::caller()), graph: None };
            let access = Recorded { step, stream: A, kind: WRITE, site };
            // What comes before the work is asked before it is enqueued in a capture.
            setup.history.insert(&(0..10), access, &Clock::default(), setup.order.host());
        }
        assert_eq!(setup.pieces(), [(0..10, vec![step.number])]);
    }

    #[test]
    fn what_is_not_ordered_stays_beside_it() {
        let mut setup = Setup::new();
        let first = setup.work(A, 0..10, WRITE);
        let second = setup.work(B, 0..10, WRITE);
        assert_eq!(setup.pieces(), [(0..10, vec![first, second])]);
        let third = setup.work(A, 0..10, WRITE);
        assert_eq!(setup.pieces(), [(0..10, vec![second, third])]);
    }

    #[test]
    fn nothing_takes_the_place_of_what_conflicts_with_more() {
        let certain_write = WRITE;
        let weaker = [READ, Kind { certain: false, ..WRITE }, Kind { commutes: true, ..WRITE }];
        for kind in weaker {
            let mut setup = Setup::new();
            let first = setup.work(A, 0..10, certain_write);
            let second = setup.work(A, 0..10, kind);
            assert_eq!(setup.pieces(), [(0..10, vec![first, second])], "{kind:?}");
            let third = setup.work(A, 0..10, certain_write);
            assert_eq!(setup.pieces(), [(0..10, vec![third])], "{kind:?}");
        }
    }

    #[test]
    fn what_the_host_has_waited_for_is_forgotten() {
        let mut setup = Setup::new();
        setup.work(A, 0..10, WRITE);
        let mark = setup.order.mark(A);
        let later = setup.work(A, 0..10, READ);
        setup.order.host_waited(&mark);
        let read = setup.work(B, 0..20, READ);
        assert_eq!(setup.pieces(), [(0..10, vec![later, read]), (10..20, vec![read])]);
    }

    #[test]
    fn a_step_or_a_range_can_be_taken_back() {
        let mut setup = Setup::new();
        let first = setup.work(A, 0..10, READ);
        setup.work(B, 5..15, READ);
        let step = setup.order.next(B);
        setup.history.retract(Step { number: step.number - 1, ..step });
        setup.history.forget(&(8..20));
        assert_eq!(setup.pieces(), [(0..5, vec![first]), (5..8, vec![first])]);
    }

    #[test]
    fn past_the_most_pieces_the_older_half_is_forgotten() {
        let mut setup = Setup::new();
        setup.history.most = 3000;
        for piece in 0..10_000 {
            setup.work(A, 2 * piece..2 * piece + 1, WRITE);
            assert!(setup.history.len() <= 3000);
        }
        let newest = 2 * 9_999;
        let found = |at: u64| {
            let mut found = false;
            setup.history.overlapping(&(at..at + 1), |_, _| found = true);
            found
        };
        assert!(found(newest) && !found(0));
    }
}
