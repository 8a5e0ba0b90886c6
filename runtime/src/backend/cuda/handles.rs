//! The streams, events and graphs of this backend, by handle.
//!
//! The safe operations take any number for a handle, and the driver reads through what it is given. So each is looked up
//! here first, and held until the driver's call returns: another thread may destroy it meanwhile, and whoever
//! holds it last then does so. Launches do without: they are `unsafe`.
//!
//! An event or a graph has a number that is never given again. A stream's number is the `CUstream` itself, so that
//! a launch passes it on unseen, and so that streams go to and come from other libraries. The driver may give a new
//! stream the address of one that was destroyed. A handle that was kept too long then names the new stream,
//! which is live and this backend's: work is ordered where nobody expected it, and nothing worse, as with any
//! other number that happens to be a stream's.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUstream;

use super::CudaBackend;
use super::live::{Live, wait_for_users};
use super::owned::{OwnedEvent, OwnedGraph, OwnedStream, StreamOwner};
use crate::backend::{BackendId, DeviceInfo, EventHandle, GraphHandle, StreamHandle};
use crate::error::{Error, Result};

/// What lives, by handle.
pub(super) struct Handles {
    pub(super) streams: Live<OwnedStream>,
    pub(super) events: Live<OwnedEvent>,
    pub(super) graphs: Live<OwnedGraph>,
    /// How often each lent stream was adopted.
    adopted: Mutex<HashMap<u64, usize>>,
    next: AtomicU64,
}

impl Handles {
    pub(super) fn new(backend: BackendId) -> Self {
        Self {
            streams: Live::default(),
            events: Live::default(),
            graphs: Live::default(),
            adopted: Mutex::default(),
            next: AtomicU64::new(backend.first_handle()),
        }
    }

    /// A number that no event and no graph of this or another backend has or had.
    pub(super) fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Enters a lent stream, once more where it is known as one.
    pub(super) fn adopt(&self, stream: StreamHandle, make: impl FnOnce() -> OwnedStream) {
        let mut adopted = self.adopted.lock().unwrap_or_else(PoisonError::into_inner);
        match self.streams.look(stream.get(), OwnedStream::owner) {
            Some(StreamOwner::Backend) => return,
            Some(StreamOwner::Lent) => {}
            None => self.streams.insert(stream.get(), make()),
        }
        *adopted.entry(stream.get()).or_default() += 1;
    }

    /// Forgets a lent stream that was adopted as often as it is released now, after `give_up`, and waits for whoever uses
    /// it.
    pub(super) fn release(&self, stream: StreamHandle, give_up: impl FnOnce(&OwnedStream)) {
        let mut adopted = self.adopted.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(times) = adopted.get_mut(&stream.get()) else { return };
        *times -= 1;
        if *times > 0 {
            return;
        }
        adopted.remove(&stream.get());
        let entry = self.streams.remove(stream.get());
        if let Some(entry) = &entry {
            // Before it can be adopted again, for a capture that begins then is not this entry's.
            give_up(entry);
        }
        drop(adopted);
        if let Some(entry) = entry {
            drop(wait_for_users(entry));
        }
    }
}

/// A stream that lives while this does.
pub(super) struct StreamInUse(Option<Arc<OwnedStream>>);

impl StreamInUse {
    /// The default stream, which lives as long as the backend.
    pub(super) const DEFAULT: Self = Self(None);

    /// The driver's stream, live as long as `self` is borrowed.
    pub(super) fn raw(&self) -> CUstream {
        self.0.as_ref().map_or(std::ptr::null_mut(), |stream| stream.raw())
    }

    /// The stream, where it is not the default one.
    pub(super) fn created(&self) -> Option<&OwnedStream> {
        self.0.as_deref()
    }
}

impl From<Arc<OwnedStream>> for StreamInUse {
    fn from(stream: Arc<OwnedStream>) -> Self {
        Self(Some(stream))
    }
}

impl CudaBackend {
    /// The stream behind a handle.
    pub(super) fn stream(&self, operation: &'static str, stream: StreamHandle) -> Result<StreamInUse> {
        if stream == StreamHandle::DEFAULT {
            return Ok(StreamInUse::DEFAULT);
        }
        if let Some(stream) = self.handles.streams.get(stream.get()) {
            return Ok(stream.into());
        }
        refuse_reserved(operation, stream)?;
        Err(self.unknown(operation, "stream", stream.get()))
    }

    /// The event behind a handle.
    pub(super) fn event(&self, operation: &'static str, event: EventHandle) -> Result<Arc<OwnedEvent>> {
        let found = self.handles.events.get(event.get());
        found.ok_or_else(|| self.unknown(operation, "event", event.get()))
    }

    /// Takes a graph out of the table.
    pub(super) fn take_graph(&self, operation: &'static str, graph: GraphHandle) -> Result<Arc<OwnedGraph>> {
        let taken = self.handles.graphs.remove(graph.get());
        taken.ok_or_else(|| self.unknown(operation, "graph", graph.get()))
    }

    pub(super) fn unknown(&self, operation: &'static str, what: &'static str, handle: u64) -> Error {
        Error::UnknownHandle { operation, what, handle, backend: self.label() }
    }

    /// Destroys what nobody has.
    pub(super) fn destroy_all_handles(&self) {
        drop(self.handles.graphs.take_all());
        drop(self.handles.events.take_all());
        drop(self.handles.streams.take_all());
    }

    /// Leaves all to the driver, of which nothing can be asked any more.
    pub(super) fn leave_all_handles(&self) {
        std::mem::forget(self.handles.graphs.take_all());
        std::mem::forget(self.handles.events.take_all());
        std::mem::forget(self.handles.streams.take_all());
    }
}

/// Refuses the two numbers that the driver takes for a default stream: which stream the second is depends on the thread
/// that calls, and the first is [`StreamHandle::DEFAULT`] under another number.
#[inline]
pub(super) fn refuse_reserved(operation: &'static str, stream: StreamHandle) -> Result<()> {
    // `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD` of `cuda.h`.
    if matches!(stream.get(), 1 | 2) { Err(reserved(operation, stream)) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn reserved(operation: &'static str, stream: StreamHandle) -> Error {
    let (found, expected) = if stream.get() == 1 {
        (
            "the legacy default stream (CU_STREAM_LEGACY, 0x1)",
            "that stream as `StreamHandle::DEFAULT`, or a stream that was created",
        )
    } else {
        (
            "the per-thread default stream (CU_STREAM_PER_THREAD, 0x2), which is another one on each thread",
            "a stream that was created, or `StreamHandle::DEFAULT`",
        )
    };
    Error::InvalidArgument {
        operation,
        what: "the stream".into(),
        found: found.into(),
        expected: expected.into(),
    }
}

/// The driver's stream that a handle stands for, which nobody looked up.
#[inline]
pub(super) fn raw_stream(stream: StreamHandle) -> CUstream {
    pointer(stream.get())
}

/// What a handle is the address of.
#[inline]
#[allow(clippy::cast_possible_truncation)] // A `usize` has 64 bits wherever this crate builds.
pub(super) fn pointer<T>(handle: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(handle as usize)
}

/// The handle that is the address of something.
pub(super) fn address<T>(pointer: *const T) -> u64 {
    pointer.expose_provenance() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_drivers_default_streams_are_refused_by_name() {
        for (number, name) in [(1, "CU_STREAM_LEGACY"), (2, "CU_STREAM_PER_THREAD")] {
            let error = refuse_reserved("launch", StreamHandle::new(number))
                .expect_err("a reserved number")
                .to_string();
            assert!(error.contains(name) && error.contains("StreamHandle::DEFAULT"), "{error}");
        }
        for number in [0, 3, 0x7f00_0000_0000] {
            refuse_reserved("launch", StreamHandle::new(number)).expect("an ordinary stream");
        }
    }

    #[test]
    fn the_number_of_an_event_or_a_graph_is_given_once() {
        let [one, other] = [Handles::new(BackendId::next()), Handles::new(BackendId::next())];
        let numbers = [one.next(), one.next(), other.next(), other.next()];
        for (index, number) in numbers.iter().enumerate() {
            assert!(!numbers[..index].contains(number) && *number != 0, "{numbers:?}");
        }
    }
}
