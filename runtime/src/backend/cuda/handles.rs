//! The streams, events and graphs that live on this backend.
//!
//! A handle is the address that the driver gave. The safe operations take any number for a handle, and the driver
//! reads through it, so each is looked up here first. Launches do without: they are `unsafe`.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use cudarc::driver::sys::{CUevent, CUgraphExec, CUstream};

use super::CudaBackend;
use super::driver::cu;
use crate::backend::{DeviceInfo, EventHandle, GraphHandle, StreamHandle};
use crate::error::{Error, Result};

/// What lives, by address.
#[derive(Default)]
pub(super) struct Handles {
    pub(super) streams: Live<StreamOwner>,
    pub(super) events: Live<EventState>,
    pub(super) graphs: Live<()>,
    capturing: RwLock<HashSet<u64>>,
    /// How many streams are capturing, to be read without the lock.
    captures: AtomicUsize,
}

/// Who destroys a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamOwner {
    /// This backend created it.
    Backend,
    /// Somebody else did, and lent it.
    Lent,
}

/// What the driver does not tell of an event.
#[derive(Clone, Copy)]
pub(super) struct EventState {
    pub(super) timing: bool,
    pub(super) recorded: bool,
}

/// The live handles of one kind.
pub(super) struct Live<T>(RwLock<HashMap<u64, T>>);

impl<T> Default for Live<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Copy> Live<T> {
    pub(super) fn insert(&self, handle: u64, state: T) {
        write(&self.0).insert(handle, state);
    }

    pub(super) fn get(&self, handle: u64) -> Option<T> {
        read(&self.0).get(&handle).copied()
    }

    pub(super) fn remove(&self, handle: u64) -> Option<T> {
        write(&self.0).remove(&handle)
    }

    pub(super) fn update(&self, handle: u64, update: impl FnOnce(&mut T)) {
        if let Some(state) = write(&self.0).get_mut(&handle) {
            update(state);
        }
    }

    pub(super) fn drain(&self) -> Vec<(u64, T)> {
        write(&self.0).drain().collect()
    }
}

impl Handles {
    pub(super) fn captures(&self) -> usize {
        self.captures.load(Ordering::Acquire)
    }

    pub(super) fn note_capture(&self, stream: StreamHandle) {
        if write_set(&self.capturing).insert(stream.get()) {
            self.captures.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// True where this was the last stream that was capturing.
    pub(super) fn note_capture_end(&self, stream: StreamHandle) -> bool {
        let ended = write_set(&self.capturing).remove(&stream.get());
        ended && self.captures.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether a capture began on this stream, and has not ended.
    pub(super) fn began_capture(&self, stream: StreamHandle) -> bool {
        self.capturing.read().unwrap_or_else(PoisonError::into_inner).contains(&stream.get())
    }

    pub(super) fn capturing(&self) -> Vec<u64> {
        self.capturing.read().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

impl CudaBackend {
    /// The driver's stream behind a handle.
    pub(super) fn stream(&self, operation: &'static str, stream: StreamHandle) -> Result<CUstream> {
        if stream != StreamHandle::DEFAULT && self.handles.streams.get(stream.get()).is_none() {
            return Err(self.unknown(operation, "stream", stream.get()));
        }
        Ok(raw_stream(stream))
    }

    /// The driver's event behind a handle, and what is known of it.
    pub(super) fn event(&self, operation: &'static str, event: EventHandle) -> Result<(CUevent, EventState)> {
        match self.handles.events.get(event.get()) {
            Some(state) => Ok((pointer(event.get()), state)),
            None => Err(self.unknown(operation, "event", event.get())),
        }
    }

    /// The driver's graph behind a handle.
    pub(super) fn graph(&self, operation: &'static str, graph: GraphHandle) -> Result<CUgraphExec> {
        match self.handles.graphs.get(graph.get()) {
            Some(()) => Ok(pointer(graph.get())),
            None => Err(self.unknown(operation, "graph", graph.get())),
        }
    }

    pub(super) fn unknown(&self, operation: &'static str, what: &'static str, handle: u64) -> Error {
        Error::UnknownHandle { operation, what, handle, backend: self.label() }
    }

    /// Destroys what nobody has.
    pub(super) fn destroy_all_handles(&self) {
        let driver = self.context.driver;
        for (graph, ()) in self.handles.graphs.drain() {
            // SAFETY: the graph is live, and gone from the table.
            let _ = unsafe { cu!(driver, cuGraphExecDestroy(pointer(graph))) };
        }
        for (event, _) in self.handles.events.drain() {
            // SAFETY: the event is live, and gone from the table.
            let _ = unsafe { cu!(driver, cuEventDestroy(pointer(event))) };
        }
        for (stream, owner) in self.handles.streams.drain() {
            if owner == StreamOwner::Backend {
                // SAFETY: the stream is live, and gone from the table.
                let _ = unsafe { cu!(driver, cuStreamDestroy(pointer(stream))) };
            }
        }
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

// Each map is whole between two statements, so a thread that panicked with the lock left it whole.
fn read<K: Hash, V>(map: &RwLock<HashMap<K, V>>) -> std::sync::RwLockReadGuard<'_, HashMap<K, V>> {
    map.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<K: Hash, V>(map: &RwLock<HashMap<K, V>>) -> std::sync::RwLockWriteGuard<'_, HashMap<K, V>> {
    map.write().unwrap_or_else(PoisonError::into_inner)
}

fn write_set(set: &RwLock<HashSet<u64>>) -> std::sync::RwLockWriteGuard<'_, HashSet<u64>> {
    set.write().unwrap_or_else(PoisonError::into_inner)
}
