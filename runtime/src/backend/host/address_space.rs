//! Which device addresses belong to which backend, for the whole process.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::backend::BackendId;

/// The first device address. No host has memory there: the range lies outside what x86-64 can
/// address even with five levels of page tables (Intel SDM volume 3, "Canonical Addresses").
const FIRST: u64 = 0x4080_0000_0000_0000;
const LAST: u64 = 0x8000_0000_0000_0000;

/// Addresses are handed to backends in ranges of multiples of this.
const RANGE: u64 = 1 << 34;

/// The first address that no backend has. It only grows, so that no address is ever given twice.
static NEXT: AtomicU64 = AtomicU64::new(FIRST);

/// At least `bytes` addresses that no other backend has or will have. `None` once all were given.
pub(super) fn claim(bytes: u64) -> Option<Range<u64>> {
    let length = bytes.checked_next_multiple_of(RANGE)?;
    let end = |start: u64| start.checked_add(length).filter(|end| *end <= LAST);
    let start = NEXT.try_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()?;
    Some(start..start + length)
}

/// Whether some backend was given this address.
pub(super) fn is_claimed(address: u64) -> bool {
    (FIRST..NEXT.load(Ordering::Relaxed)).contains(&address)
}

/// Managed memory has addresses of the host's own, so who owns them must be written down.
static MANAGED: Mutex<BTreeMap<u64, (u64, BackendId)>> = Mutex::new(BTreeMap::new());

fn managed() -> MutexGuard<'static, BTreeMap<u64, (u64, BackendId)>> {
    // Nothing panics while the map is held.
    MANAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes managed memory of `backend`.
pub(super) fn enter_managed(start: u64, bytes: u64, backend: BackendId) {
    managed().insert(start, (start + bytes, backend));
}

/// Forgets managed memory.
pub(super) fn leave_managed(start: u64) {
    managed().remove(&start);
}

/// Whether a backend other than `backend` has managed memory at this address.
pub(super) fn is_managed_elsewhere(address: u64, backend: BackendId) -> bool {
    managed()
        .range(..=address)
        .next_back()
        .is_some_and(|(_, &(end, owner))| address < end && owner != backend)
}
