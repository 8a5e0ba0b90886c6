//! The allocations with their bands, and who may change them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use super::{FILL, Overrun, Zone};
use crate::backend::{BackendId, GpuBackend};
use crate::diagnose::MemoryKind;
use crate::diagnose::layer_count::LayerCount;

/// How many overruns are kept for whoever takes them. A program that runs for days may have one in each step.
const OVERRUNS: usize = 4096;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) band: usize,
    /// Never held while a backend is called: that may execute a host function, and the host function may come back here.
    state: Mutex<State>,
    thawed: Condvar,
}

/// An address of a backend. Two backends may give out the same one.
type Start = (BackendId, u64);

#[derive(Debug, Default)]
pub(super) struct State {
    /// By the first address of the band before: of device and managed memory, and of pinned memory on the host.
    device: BTreeMap<Start, Zone>,
    pinned: BTreeMap<Start, Zone>,
    /// Pinned memory by where the device reaches it, as far as that was asked for: the address on the host.
    aliases: BTreeMap<Start, u64>,
    /// How many allocations there were, which is the number of the last one.
    pub(super) allocations: u64,
    /// Which numbers have bands of other bytes. The last that names a number counts.
    poisoned: Vec<(Range<u64>, u8)>,
    pub(super) overruns: Vec<Overrun>,
    pub(super) unscanned: u64,
    pub(super) layers: LayerCount,
    /// The thread that looks at bands, of which none is freed meanwhile.
    frozen_by: Option<ThreadId>,
}

impl Shared {
    pub(super) fn new(band: usize) -> Self {
        Self { band, state: Mutex::default(), thawed: Condvar::new() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, once no other thread looks at bands. One that does so itself comes here out of a host function, which the backend
    /// refuses to free anything.
    fn unfrozen(&self) -> MutexGuard<'_, State> {
        let me = std::thread::current().id();
        let is_frozen = |state: &mut State| state.frozen_by.is_some_and(|other| other != me);
        self.thawed.wait_while(self.state(), is_frozen).unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps all bands where they are.
    pub(super) fn freeze(&self) -> Frozen<'_> {
        let mut state = self.unfrozen();
        let is_first = state.frozen_by.is_none();
        state.frozen_by = Some(std::thread::current().id());
        Frozen { shared: self, is_first }
    }

    /// Takes an allocation out, to be freed.
    pub(super) fn take(&self, backend: BackendId, memory: MemoryKind, outer: u64) -> Option<Zone> {
        self.unfrozen().remove(backend, memory, outer)
    }
}

/// While this lives no band is freed but by the thread that has it.
pub(super) struct Frozen<'a> {
    shared: &'a Shared,
    is_first: bool,
}

impl Frozen<'_> {
    /// All bands in the memory of a backend.
    pub(super) fn zones_of(&self, backend: &dyn GpuBackend) -> Vec<Zone> {
        let state = self.shared.state();
        let zones = state.device.values().chain(state.pinned.values());
        zones.filter(|zone| zone.backend == backend.id()).cloned().collect()
    }

    /// Says what the bands of these allocations hold from now on, and returns those that are there, to be written.
    pub(super) fn poison(&self, allocations: Range<u64>, byte: u8, backend: BackendId) -> Vec<Zone> {
        let mut state = self.shared.state();
        state.poison(allocations.clone(), byte);
        let State { device, pinned, .. } = &mut *state;
        let zones = device.values_mut().chain(pinned.values_mut());
        let meant = zones.filter(|zone| allocations.contains(&zone.number) && zone.backend == backend);
        meant
            .map(|zone| {
                zone.fill = byte;
                zone.clone()
            })
            .collect()
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        if self.is_first {
            self.shared.state().frozen_by = None;
            self.shared.thawed.notify_all();
        }
    }
}

impl State {
    /// Enters an allocation, or one again that could not be freed.
    pub(super) fn insert(&mut self, zone: Zone) {
        if let Some(alias) = zone.alias {
            self.aliases.insert((zone.backend, alias), zone.outer);
        }
        self.zones(zone.memory).insert((zone.backend, zone.outer), zone);
    }

    fn remove(&mut self, backend: BackendId, memory: MemoryKind, outer: u64) -> Option<Zone> {
        let zone = self.zones(memory).remove(&(backend, outer))?;
        if let Some(alias) = zone.alias {
            self.aliases.remove(&(backend, alias));
        }
        Some(zone)
    }

    fn zones(&mut self, memory: MemoryKind) -> &mut BTreeMap<Start, Zone> {
        match memory {
            MemoryKind::Device | MemoryKind::Managed => &mut self.device,
            MemoryKind::Pinned => &mut self.pinned,
        }
    }

    /// How many allocations have bands.
    pub(super) fn live(&self) -> usize {
        self.device.len() + self.pinned.len()
    }

    /// The device reaches the pinned memory at `host` at this address.
    pub(super) fn alias(&mut self, backend: BackendId, host: u64, device: u64) {
        let nearest = self.pinned.range_mut((backend, 0)..=(backend, host)).next_back();
        if let Some((_, zone)) = nearest.filter(|(_, zone)| host < zone.outer_end()) {
            let alias = device.wrapping_sub(host - zone.outer);
            zone.alias = Some(alias);
            self.aliases.insert((backend, alias), zone.outer);
        }
    }

    /// The addresses of the device that the program was given of the memory in whose bands, or in which, this address of the device
    /// lies.
    pub(super) fn around(&self, backend: BackendId, address: u64) -> Option<Range<u64>> {
        let up_to = || (backend, 0)..=(backend, address);
        if let Some((_, zone)) = self.device.range(up_to()).next_back()
            && address < zone.outer_end()
        {
            return Some(zone.start()..zone.end());
        }
        let (&(_, alias), outer) = self.aliases.range(up_to()).next_back()?;
        let zone = self.pinned.get(&(backend, *outer))?;
        let on_device = |host: u64| host - outer + alias;
        (address < on_device(zone.outer_end())).then(|| on_device(zone.start())..on_device(zone.end()))
    }

    /// Counts an allocation. Its number, and what its bands hold.
    pub(super) fn number_and_fill(&mut self) -> (u64, u8) {
        self.allocations += 1;
        (self.allocations, self.fill(self.allocations))
    }

    /// An allocation came to nothing. Where none was counted since, the next one has its number.
    pub(super) fn take_back(&mut self, number: u64) {
        if self.allocations == number {
            self.allocations -= 1;
        }
    }

    pub(super) fn fill(&self, number: u64) -> u8 {
        let of_number = |(numbers, _): &&(Range<u64>, u8)| numbers.contains(&number);
        self.poisoned.iter().rev().find(of_number).map_or(FILL, |(_, fill)| *fill)
    }

    pub(super) fn poison(&mut self, allocations: Range<u64>, byte: u8) {
        let is_within =
            |numbers: &Range<u64>| allocations.start <= numbers.start && numbers.end <= allocations.end;
        self.poisoned.retain(|(numbers, _)| !is_within(numbers));
        self.poisoned.push((allocations, byte));
    }

    pub(super) fn keep(&mut self, found: &[Overrun]) {
        let room = OVERRUNS.saturating_sub(self.overruns.len()).min(found.len());
        self.overruns.extend_from_slice(&found[..room]);
    }

    /// Forgets all memory of a backend.
    pub(super) fn forget(&mut self, backend: BackendId) {
        self.device.retain(|_, zone| zone.backend != backend);
        self.pinned.retain(|_, zone| zone.backend != backend);
        self.aliases.retain(|(of, _), _| *of != backend);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;

    fn zone(backend: BackendId, memory: MemoryKind, outer: u64, bytes: usize) -> Zone {
        Zone {
            backend,
            number: 1,
            memory,
            outer,
            alias: None,
            band: 0x100,
            bytes,
            location: Location::caller(),
            fill: FILL,
        }
    }

    #[test]
    fn two_backends_may_have_memory_at_the_same_address() {
        let (shared, [one, other]) = (Shared::new(0x100), [BackendId::next(), BackendId::next()]);
        shared.state().insert(zone(one, MemoryKind::Device, 0x1000, 10));
        shared.state().insert(zone(other, MemoryKind::Device, 0x1000, 20));
        let around = |backend| shared.state().around(backend, 0x1105);
        assert_eq!([one, other].map(around), [Some(0x1100..0x110a), Some(0x1100..0x1114)]);
        assert_eq!(shared.take(one, MemoryKind::Device, 0x1000).map(|zone| zone.bytes), Some(10));
        assert_eq!([one, other].map(around), [None, Some(0x1100..0x1114)]);
    }

    #[test]
    fn pinned_memory_is_found_where_the_device_reaches_it() {
        let (mut state, [backend, other]) = (State::default(), [BackendId::next(), BackendId::next()]);
        state.insert(zone(backend, MemoryKind::Pinned, 0x5000, 100));
        assert_eq!(state.around(backend, 0x5100), None, "it is an address of the host");
        state.alias(backend, 0x5110, 0x9110);
        let found = [0x8fff, 0x9000, 0x9110, 0x9263, 0x9264].map(|address| state.around(backend, address));
        let whole = Some(0x9100..0x9164);
        assert_eq!(found, [None, whole.clone(), whole.clone(), whole, None]);
        assert_eq!(state.around(other, 0x9110), None);
        let taken = state.remove(backend, MemoryKind::Pinned, 0x5000).expect("it is there");
        assert_eq!(state.around(backend, 0x9110), None);
        // It could not be freed.
        state.insert(taken);
        assert_eq!(state.around(backend, 0x9110), Some(0x9100..0x9164));
    }
}
