//! What becomes of an error that nobody can be given: the one of a `Drop`.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Something that could not be freed when it was dropped.
///
/// A `Drop` can neither return an error nor may it panic. So the [`Gpu`](crate::Gpu) notes it:
/// [`failed_drop_count`](crate::Gpu::failed_drop_count) and
/// [`take_failed_drops`](crate::Gpu::take_failed_drops) tell. Whoever wants the error itself calls
/// `free` or `destroy` instead of dropping.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedDrop {
    /// What was dropped: `buffer`, `pinned buffer`, `stream`, `event`, `graph` or `capture`.
    pub what: &'static str,
    /// Its address or the number of its handle.
    pub handle: u64,
    /// Why the backend could not free it.
    pub error: Error,
}

impl fmt::Display for FailedDrop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dropping the {} {:#x}: {}", self.what, self.handle, self.error)
    }
}

/// The failures of one [`Gpu`](crate::Gpu) and its clones.
#[derive(Default)]
pub(super) struct FailedDrops {
    count: AtomicU64,
    kept: Mutex<Vec<FailedDrop>>,
}

impl FailedDrops {
    /// How many are kept until they are taken. A device that is lost fails every drop in the same way.
    pub(super) const KEPT: usize = 64;

    #[cold]
    pub(super) fn note(&self, what: &'static str, handle: u64, error: Error) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.lock();
        if kept.len() < Self::KEPT {
            kept.push(FailedDrop { what, handle, error });
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub(super) fn take(&self) -> Vec<FailedDrop> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FailedDrop>> {
        // Nothing panics while the list is held, and a list is whole after every push.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
