//! Captures, and the graphs that come of them.

use std::panic::Location;

use super::access::{Plan, Planned};
use super::memory::{Freed, Memory};
use super::order::Clock;
use super::world::World;
use crate::argument::DevicePtr;
use crate::backend::StreamHandle;

/// Of those that are under way at one time. None is zero.
pub(super) type CaptureId = u32;

/// What an event marks: a point of a capture, or of the streams.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) capture: Option<CaptureId>,
    pub(super) clock: Clock,
}

/// A capture that is under way.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) origin: StreamHandle,
    pub(super) world: World,
    /// Memory that was freed although something captured uses it.
    freed: Vec<Freed>,
}

#[derive(Debug)]
pub(super) struct Graph {
    accesses: Vec<Captured>,
    /// Memory of it that was freed.
    freed: Vec<Freed>,
    /// What comes after its latest launch is known to come after this.
    pub(super) latest: Clock,
}

/// An access of a graph, and the allocation that it was captured with.
#[derive(Debug)]
struct Captured {
    access: Planned,
    allocation: Option<u64>,
}

impl Capture {
    pub(super) fn new(origin: StreamHandle) -> Self {
        Self { origin, world: World::captured_from(origin), freed: Vec::new() }
    }

    pub(super) fn note_freed(&mut self, freed: &Freed) {
        if self.world.uses(&freed.allocation.extent()) {
            self.freed.push(*freed);
        }
    }
}

impl Graph {
    pub(super) fn new(capture: Capture, memory: &Memory) -> Self {
        let Capture { world, freed, .. } = capture;
        let allocation = |access: &Planned| {
            let (space, range) = (access.extent.space, &access.extent.range);
            let was = freed.iter().find(|freed| {
                let extent = freed.allocation.extent();
                extent.space == space && extent.range.contains(&range.start)
            });
            let is = || memory.at(space, range.start).map(|allocation| allocation.serial);
            was.map(|freed| freed.allocation.serial).or_else(is)
        };
        let captured = |access| Captured { allocation: allocation(&access), access };
        Self {
            accesses: world.accesses().map(captured).collect(),
            freed: freed.clone(),
            latest: Clock::default(),
        }
    }

    pub(super) fn note_freed(&mut self, freed: &Freed) {
        let serial = Some(freed.allocation.serial);
        if self.accesses.iter().any(|captured| captured.allocation == serial) {
            self.freed.push(*freed);
        }
    }

    /// What a launch of it uses.
    pub(super) fn plan(&self, location: &'static Location<'static>) -> Plan {
        let mut plan = Plan::default();
        for Captured { access, allocation } in &self.accesses {
            let mut access = access.clone();
            access.site.graph = Some(location);
            match self.freed.iter().find(|freed| Some(freed.allocation.serial) == *allocation) {
                Some(freed) => {
                    let start = DevicePtr::new(access.extent.range.start);
                    plan.freed.push((access.site, access.kind, start, *freed));
                }
                None => plan.accesses.push(access),
            }
        }
        plan
    }
}
