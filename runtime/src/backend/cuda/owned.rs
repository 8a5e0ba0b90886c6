//! The driver's streams, events and graphs, each destroyed by whoever uses it last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use cudarc::driver::sys::{CUevent, CUgraphExec, CUstream};

use super::driver::{Driver, cu};
use super::handles::address;
use crate::error::Result;

/// A stream, and what is known of it.
pub(super) struct OwnedStream {
    driver: &'static Driver,
    raw: CUstream,
    owner: StreamOwner,
    fate: RwLock<Fate>,
}

/// Who destroys a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamOwner {
    /// This backend created it.
    Backend,
    /// Somebody else did, and lent it.
    Lent,
}

/// Whether captures may begin on a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    /// The stream is given up, and none begins any more.
    GivenUp,
}

impl OwnedStream {
    pub(super) fn new(driver: &'static Driver, raw: CUstream, owner: StreamOwner) -> Self {
        Self { driver, raw, owner, fate: RwLock::new(Fate::Kept) }
    }

    /// The driver's stream, live as long as `self` is borrowed.
    pub(super) fn raw(&self) -> CUstream {
        self.raw
    }

    pub(super) fn owner(&self) -> StreamOwner {
        self.owner
    }

    /// What the captures of a context are noted by.
    pub(super) fn number(&self) -> u64 {
        address(self.raw)
    }

    /// Held by each of those who enqueue what must not be captured, from the check that the stream does not capture.
    pub(super) fn keep_from_capturing(&self) -> RwLockReadGuard<'_, Fate> {
        // One word, here and below, which is whole whoever panicked.
        self.fate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held while a capture begins or ends here or the stream joins one, so that what is noted is what the driver does.
    pub(super) fn capture(&self) -> RwLockWriteGuard<'_, Fate> {
        self.fate.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Destroys a stream that this backend created; forgets one that was lent.
    pub(super) fn destroy(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        if raw.is_null() || self.owner == StreamOwner::Lent {
            return Ok(());
        }
        // SAFETY: the stream was created for this value, which ends, and is destroyed once. The driver lets its work run on.
        unsafe { cu!(self.driver, cuStreamDestroy(raw)) }
    }
}

impl Drop for OwnedStream {
    fn drop(&mut self) {
        // Whoever gave it up has been told so; a refusal now is that of a context that faulted, which every other call reports.
        let _ = self.release();
    }
}

/// An event, and what the driver does not tell of it.
pub(super) struct OwnedEvent {
    driver: &'static Driver,
    raw: CUevent,
    timing: bool,
    recorded: AtomicBool,
}

impl OwnedEvent {
    pub(super) fn new(driver: &'static Driver, raw: CUevent, timing: bool) -> Self {
        Self { driver, raw, timing, recorded: AtomicBool::new(false) }
    }

    /// The driver's event, live as long as `self` is borrowed.
    pub(super) fn raw(&self) -> CUevent {
        self.raw
    }

    pub(super) fn has_timing(&self) -> bool {
        self.timing
    }

    pub(super) fn was_recorded(&self) -> bool {
        self.recorded.load(Ordering::Acquire)
    }

    pub(super) fn note_recorded(&self) {
        self.recorded.store(true, Ordering::Release);
    }

    pub(super) fn destroy(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        if raw.is_null() {
            return Ok(());
        }
        // SAFETY: the event was created for this value, which ends, and is destroyed once.
        unsafe { cu!(self.driver, cuEventDestroy(raw)) }
    }
}

impl Drop for OwnedEvent {
    fn drop(&mut self) {
        // As for a stream.
        let _ = self.release();
    }
}

/// An instantiated graph.
pub(super) struct OwnedGraph {
    driver: &'static Driver,
    raw: CUgraphExec,
}

impl OwnedGraph {
    pub(super) fn new(driver: &'static Driver, raw: CUgraphExec) -> Self {
        Self { driver, raw }
    }

    /// The driver's graph, live as long as `self` is borrowed.
    pub(super) fn raw(&self) -> CUgraphExec {
        self.raw
    }

    pub(super) fn destroy(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        if raw.is_null() {
            return Ok(());
        }
        // SAFETY: the graph was made for this value, which ends, and is destroyed once. The driver lets its launches run on.
        unsafe { cu!(self.driver, cuGraphExecDestroy(raw)) }
    }
}

impl Drop for OwnedGraph {
    fn drop(&mut self) {
        // As for a stream.
        let _ = self.release();
    }
}

// SAFETY: any thread may use the driver's streams, events and graphs, and several at once.
unsafe impl Send for OwnedStream {}
// SAFETY: as above.
unsafe impl Sync for OwnedStream {}
// SAFETY: as above.
unsafe impl Send for OwnedEvent {}
// SAFETY: as above.
unsafe impl Sync for OwnedEvent {}
// SAFETY: as above.
unsafe impl Send for OwnedGraph {}
// SAFETY: as above.
unsafe impl Sync for OwnedGraph {}
