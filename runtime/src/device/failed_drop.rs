//! Dropping, which knows neither its caller nor anybody to give an error to.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Gpu;
use crate::error::{Error, Result};

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

/// What is given back to the backend when it is dropped.
pub(super) trait Release {
    /// What it is: `buffer`.
    const WHAT: &'static str;

    /// The device that it is of.
    fn gpu(&self) -> &Gpu;

    /// Its address or the number of its handle.
    fn number(&self) -> u64;

    /// Gives it back, unless it was.
    #[track_caller]
    fn release(&mut self) -> Result<()>;
}

/// Gives back what is dropped. The place of this call stands for that of a `Drop`, see [`called_at`].
pub(super) fn release_dropped<T: Release>(dropped: &mut T) {
    let number = dropped.number();
    if let Err(error) = dropped.release() {
        dropped.gpu().note_failed_drop(T::WHAT, number, error);
    }
}

/// The place in the caller's code that a backend is called from; `None` of what is dropped: a `Drop` cannot know its caller, and the
/// place that it has is in this file.
#[inline]
pub(crate) fn called_at(location: &'static Location<'static>) -> Option<&'static Location<'static>> {
    (location.file() != file!()).then_some(location)
}

/// A place in the caller's code, or that there is none: `src/main.rs:10:5`, or `dropped`.
pub(crate) struct CalledAt(pub(crate) Option<&'static Location<'static>>);

impl fmt::Display for CalledAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(location) => location.fmt(f),
            None => f.write_str("dropped"),
        }
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
