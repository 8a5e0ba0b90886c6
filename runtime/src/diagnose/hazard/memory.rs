//! The allocations, and which memory an address is of.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::panic::Location;

use crate::argument::DevicePtr;
use crate::diagnose::MemoryKind;

/// How many ranges that were freed are remembered.
const FREED: usize = 4096;

/// Whose addresses are meant. Managed memory is the device's, pinned memory the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Device,
    Host,
}

/// A range of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) space: Space,
    pub(super) range: Range<u64>,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) address: u64,
}

impl Place {
    /// So many bytes from an offset on.
    pub(super) fn extent(self, offset: usize, bytes: usize) -> Extent {
        let start = self.address.saturating_add(offset as u64);
        Extent { space: self.space, range: start..start.saturating_add(bytes as u64) }
    }
}

/// A live allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) kind: MemoryKind,
    /// Where it was allocated.
    pub(super) location: &'static Location<'static>,
    /// Its number, which no other has.
    pub(super) serial: u64,
}

impl Allocation {
    pub(super) fn extent(&self) -> Extent {
        Extent { space: space_of(self.kind), range: self.start..self.end }
    }
}

fn space_of(kind: MemoryKind) -> Space {
    match kind {
        MemoryKind::Device | MemoryKind::Managed => Space::Device,
        MemoryKind::Pinned => Space::Host,
    }
}

/// An allocation that was freed, and where; no place where it was dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    pub(super) allocation: Allocation,
    pub(super) location: Option<&'static Location<'static>>,
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// By their start.
    device: BTreeMap<u64, Allocation>,
    host: BTreeMap<u64, Allocation>,
    /// Pinned memory by its address on the device, where that is another: the end, and its start on the host.
    aliases: BTreeMap<u64, (u64, u64)>,
    freed: BTreeMap<u64, Freed>,
    /// The starts of `freed` and the numbers of the allocations, the oldest first; also of those that are gone from there.
    freed_order: VecDeque<(u64, u64)>,
    allocated: u64,
}

impl Memory {
    fn live(&self, space: Space) -> &BTreeMap<u64, Allocation> {
        match space {
            Space::Device => &self.device,
            Space::Host => &self.host,
        }
    }

    fn live_mut(&mut self, space: Space) -> &mut BTreeMap<u64, Allocation> {
        match space {
            Space::Device => &mut self.device,
            Space::Host => &mut self.host,
        }
    }

    /// Memory was allocated. What was there before is gone, also where that went unseen.
    pub(super) fn allocate(
        &mut self,
        kind: MemoryKind,
        start: u64,
        bytes: usize,
        location: &'static Location<'static>,
    ) -> Extent {
        self.allocated += 1;
        let serial = self.allocated;
        let allocation =
            Allocation { start, end: start.saturating_add(bytes as u64), kind, location, serial };
        let extent = allocation.extent();
        let live = self.live_mut(extent.space);
        for start in overlapping(live, &extent.range, |allocation| allocation.end) {
            live.remove(&start);
        }
        live.insert(start, allocation);
        if extent.space == Space::Device {
            for start in overlapping(&self.freed, &extent.range, |freed| freed.allocation.end) {
                self.freed.remove(&start);
            }
        }
        extent
    }

    /// Takes the allocation that starts there out, to be [freed](Self::free) or [put back](Self::restore).
    pub(super) fn take(&mut self, space: Space, start: u64) -> Option<Allocation> {
        self.live_mut(space).remove(&start)
    }

    pub(super) fn restore(&mut self, allocation: Allocation) {
        self.live_mut(space_of(allocation.kind)).entry(allocation.start).or_insert(allocation);
    }

    /// An allocation that was taken out was freed. Whether nobody has been given it meanwhile.
    pub(super) fn free(&mut self, freed: Freed) -> bool {
        let Extent { space, range } = freed.allocation.extent();
        if space == Space::Host {
            self.aliases.retain(|_, (_, host)| *host != range.start);
            return overlapping(&self.host, &range, |allocation| allocation.end).is_empty();
        }
        if !overlapping(&self.device, &range, |allocation| allocation.end).is_empty() {
            return false;
        }
        self.freed.insert(range.start, freed);
        self.freed_order.push_back((range.start, freed.allocation.serial));
        if self.freed_order.len() > FREED
            && let Some((oldest, serial)) = self.freed_order.pop_front()
            && self.freed.get(&oldest).is_some_and(|freed| freed.allocation.serial == serial)
        {
            self.freed.remove(&oldest);
        }
        true
    }

    /// The device reaches pinned memory at `device`, which is `host` for the host.
    pub(super) fn alias(&mut self, host: u64, device: DevicePtr) {
        if let Some(allocation) = self.at(Space::Host, host) {
            let start = device.address().wrapping_sub(host - allocation.start);
            if start != allocation.start {
                let end = start.saturating_add(allocation.end - allocation.start);
                self.aliases.insert(start, (end, allocation.start));
            }
        }
    }

    /// The live allocation that holds an address.
    pub(super) fn at(&self, space: Space, address: u64) -> Option<Allocation> {
        let (_, allocation) = self.live(space).range(..=address).next_back()?;
        (address < allocation.end).then_some(*allocation)
    }

    /// What is at an address of the device. `None` for what was not allocated through the layer.
    pub(super) fn on_device(&self, address: u64) -> Option<(Place, Allocation)> {
        if let Some(allocation) = self.at(Space::Device, address) {
            return Some((Place { space: Space::Device, address }, allocation));
        }
        let address = match self.aliases.range(..=address).next_back() {
            Some((start, (end, host))) if address < *end => host + (address - start),
            _ => address,
        };
        let allocation = self.at(Space::Host, address)?;
        Some((Place { space: Space::Host, address }, allocation))
    }

    /// What is at an address of the host.
    pub(super) fn on_host(&self, address: u64) -> Place {
        let space = match self.at(Space::Device, address) {
            Some(allocation) if allocation.kind == MemoryKind::Managed => Space::Device,
            _ => Space::Host,
        };
        Place { space, address }
    }

    /// The allocation of the device that held an address and was freed.
    pub(super) fn freed_at(&self, address: u64) -> Option<Freed> {
        let (_, freed) = self.freed.range(..=address).next_back()?;
        (address < freed.allocation.end).then_some(*freed)
    }
}

/// The keys of the entries that overlap `range`.
fn overlapping<V>(map: &BTreeMap<u64, V>, range: &Range<u64>, end: impl Fn(&V) -> u64) -> Vec<u64> {
    // From the back, and no further than the first that ends before: the entries do not overlap each other.
    let reaching = map.range(..range.end).rev().take_while(|(_, value)| end(value) > range.start);
    reaching.map(|(start, _)| *start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocate(memory: &mut Memory, kind: MemoryKind, start: u64, bytes: usize) {
        memory.allocate(kind, start, bytes, Location::caller());
    }

    fn free(memory: &mut Memory, start: u64) {
        let allocation = memory.take(Space::Device, start).expect("it is live");
        memory.free(Freed { allocation, location: Some(Location::caller()) });
    }

    #[test]
    fn freed_memory_is_remembered_until_its_addresses_are_given_again() {
        let mut memory = Memory::default();
        allocate(&mut memory, MemoryKind::Device, 0x1000, 0x100);
        assert!(memory.at(Space::Device, 0x10ff).is_some() && memory.at(Space::Device, 0x1100).is_none());
        free(&mut memory, 0x1000);
        assert!(memory.freed_at(0x10ff).is_some() && memory.freed_at(0x1100).is_none());
        allocate(&mut memory, MemoryKind::Device, 0x1080, 0x10);
        assert!(memory.freed_at(0x1000).is_none());
    }

    #[test]
    fn a_free_that_is_told_late_leaves_the_next_owner_alone() {
        let mut memory = Memory::default();
        for (space, kind) in [(Space::Device, MemoryKind::Device), (Space::Host, MemoryKind::Pinned)] {
            allocate(&mut memory, kind, 0x1000, 0x100);
            let taken = memory.take(space, 0x1000).expect("it is live");
            allocate(&mut memory, kind, 0x1080, 0x100);
            assert!(!memory.free(Freed { allocation: taken, location: Some(Location::caller()) }));
            assert!(memory.at(space, 0x1080).is_some() && memory.freed_at(0x1000).is_none());
        }
    }

    #[test]
    fn so_many_freed_ranges_are_remembered_and_no_more() {
        let mut memory = Memory::default();
        for number in 0..2 * FREED as u64 {
            allocate(&mut memory, MemoryKind::Device, number * 0x100, 0x100);
            free(&mut memory, number * 0x100);
        }
        assert!(memory.freed_at(0).is_none() && memory.freed_at((2 * FREED as u64 - 1) * 0x100).is_some());
        assert_eq!((memory.freed.len(), memory.freed_order.len()), (FREED, FREED));
        for _ in 0..2 * FREED {
            allocate(&mut memory, MemoryKind::Device, 0x100, 0x100);
            free(&mut memory, 0x100);
        }
        assert!(memory.freed_at(0x100).is_some(), "freed again and again");
        assert_eq!((memory.freed.len(), memory.freed_order.len()), (1, FREED));
    }

    #[test]
    fn pinned_and_managed_memory_are_one_memory_by_whichever_address() {
        let mut memory = Memory::default();
        allocate(&mut memory, MemoryKind::Pinned, 0x5000, 0x100);
        memory.alias(0x5010, DevicePtr::new(0x9010));
        let host = |address| Some(Place { space: Space::Host, address });
        let on_device = |memory: &Memory, address| memory.on_device(address).map(|(place, _)| place);
        assert_eq!(on_device(&memory, 0x9020), host(0x5020));
        assert_eq!(on_device(&memory, 0x5020), host(0x5020), "where both addresses are one");
        assert_eq!(on_device(&memory, 0x9100), None, "past its end");
        let pinned = memory.take(Space::Host, 0x5000).expect("it is live");
        memory.free(Freed { allocation: pinned, location: Some(Location::caller()) });
        assert_eq!(on_device(&memory, 0x9020), None);

        allocate(&mut memory, MemoryKind::Managed, 0x7000, 0x100);
        assert_eq!(memory.on_host(0x7010).space, Space::Device);
        allocate(&mut memory, MemoryKind::Device, 0x8000, 0x100);
        assert_eq!(memory.on_host(0x8010).space, Space::Host, "an address of the device is none of the host");
    }
}
