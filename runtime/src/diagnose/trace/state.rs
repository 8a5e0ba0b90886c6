//! What a trace knows, and how each call changes it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::captures::{Capture, Captures};
use super::decode::{Held, Known};
use super::entry::{Entry, What};
use super::history::{History, Key, Memory, Thing};
use super::recording::{Kind, Record, TracedBackend};
use super::ring::Ring;
use super::timing::{Clock, Timings};
use crate::backend::{BackendId, GpuBackend, KernelHandle, StreamHandle};
use crate::diagnose::layer_count::LayerCount;
use crate::diagnose::{Call, MemoryKind, Operation, Outcome};

#[derive(Debug)]
pub(super) struct State {
    pub(super) ring: Ring,
    /// The number of the last call.
    pub(super) calls: u64,
    /// The number of the last call that was taken out.
    pub(super) taken: u64,
    capacity: usize,
    pub(super) history: History,
    pub(super) captures: Captures,
    /// What graphs that can still be named hold, by their number.
    pub(super) graphs: HashMap<u64, Arc<Held>>,
    /// The names of kernels that no declaration was given for.
    pub(super) names: HashMap<(BackendId, KernelHandle), Arc<str>>,
    pub(super) timings: Timings,
    pub(super) clocks: Vec<Clock>,
    pub(super) layers: LayerCount,
    pub(super) problems: Vec<String>,
    /// With what each layer of the trace was put around.
    pub(super) backends: Vec<(TracedBackend, Vec<Weak<dyn GpuBackend>>)>,
}

impl State {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            ring: Ring::new(capacity),
            calls: 0,
            taken: 0,
            capacity,
            history: History::default(),
            captures: Captures::default(),
            graphs: HashMap::new(),
            names: HashMap::new(),
            timings: HashMap::new(),
            clocks: Vec::new(),
            layers: LayerCount::default(),
            problems: Vec::new(),
            backends: Vec::new(),
        }
    }

    pub(super) fn is_capturing(&self, backend: BackendId) -> bool {
        self.captures.any_of(backend)
    }

    /// Adds a call, whose number and arguments are set here, and returns that number.
    #[inline]
    pub(super) fn push(&mut self, mut entry: Entry, operation: Option<&Operation<'_>>) -> u64 {
        self.calls += 1;
        entry.number = self.calls;
        if !self.captures.are_none()
            && let (Some(backend), Some(stream)) = (entry.backend, entry.stream)
            && let Some(capture) = self.captures.of(backend, stream)
            && entry.what.kind() != Kind::Capture
        {
            if let Some(operation) = operation {
                entry.copy_args(operation);
            }
            if capture.entries.len() < self.capacity {
                capture.entries.push(entry);
            } else {
                capture.dropped += 1;
            }
            return self.calls;
        }
        entry.args = self.ring.make_room();
        if let Some(operation) = operation {
            entry.copy_args(operation);
        }
        self.ring.push(entry);
        self.calls
    }

    pub(super) fn open(&mut self, inner: &Arc<dyn GpuBackend>) {
        let opened = TracedBackend {
            number: inner.id().get(),
            kind: inner.kind().into(),
            device: inner.properties().name.clone(),
        };
        self.layers.open(inner.id());
        // Another layer of the same trace around it is the same backend.
        match self.backends.iter_mut().find(|(known, _)| *known == opened) {
            Some((_, inners)) => {
                inners.retain(|inner| inner.strong_count() > 0);
                inners.push(Arc::downgrade(inner));
            }
            None => self.backends.push((opened, vec![Arc::downgrade(inner)])),
        }
    }

    /// The kernel whose name is still to be asked for, where a launch comes without a declaration.
    #[inline]
    pub(super) fn needs_name(&self, backend: BackendId, what: &What) -> Option<KernelHandle> {
        match what {
            What::Launch { kernel, declaration: None, .. } => {
                (!self.names.contains_key(&(backend, *kernel))).then_some(*kernel)
            }
            _ => None,
        }
    }

    /// Follows what comes and goes, before the call is added. Returns what stands in its entry instead.
    pub(super) fn follow(
        &mut self,
        call: &Call<'_>,
        backend: BackendId,
        outcome: Outcome<'_>,
    ) -> Option<What> {
        let next = self.calls + 1;
        match (call.operation, outcome) {
            (Operation::Allocate { memory, bytes }, Outcome::Memory(ptr)) => {
                self.allocated(call, (Thing::Memory, backend, ptr.address()), memory, bytes);
            }
            (Operation::Allocate { memory, bytes }, Outcome::Pinned(ptr)) => {
                self.allocated(call, (Thing::Pinned, backend, ptr.addr().get() as u64), memory, bytes);
            }
            (Operation::PinnedDevicePtr { ptr }, Outcome::Memory(alias)) => {
                self.history.set_alias((Thing::Pinned, backend, ptr.addr().get() as u64), alias.address());
            }
            (Operation::CreateStream { .. }, Outcome::Stream(stream)) => {
                self.history.begin((Thing::Stream, backend, stream.get()), next, None);
            }
            (Operation::CreateEvent { .. }, Outcome::Event(event)) => {
                self.history.begin((Thing::Event, backend, event.get()), next, None);
            }
            (Operation::RecordEvent { event, stream }, Outcome::Done) => {
                self.captures.record(backend, event, stream);
            }
            (Operation::StreamWaitEvent { stream, event }, Outcome::Done) => {
                self.captures.wait_event(backend, stream, event);
            }
            (Operation::StreamWaitStream { waiting, other }, Outcome::Done) => {
                self.captures.wait_stream(backend, waiting, other);
            }
            (Operation::BeginCapture(stream), Outcome::Done) => {
                let graph = self.history.next_number(Thing::Graph);
                self.captures.begin(graph, backend, stream);
                return Some(What::Capture(graph));
            }
            (Operation::EndCapture(stream) | Operation::AbandonCapture(stream), outcome) => {
                return self.end_capture(backend, stream, outcome);
            }
            _ => {
                if !matches!(outcome, Outcome::Failed(_))
                    && let Some(key) = destroyed(&call.operation, backend)
                {
                    let [_, number] = call.note.get();
                    if let Operation::DestroyStream(stream) = call.operation
                        && self.history.number(key).unwrap_or(0) == number
                    {
                        self.stream_is_gone(backend, stream);
                    }
                    self.history.end(key, number, next);
                    self.forget();
                }
            }
        }
        None
    }

    /// A stream was destroyed, unless another one has been given its handle. The capture that began on it is over.
    fn stream_is_gone(&mut self, backend: BackendId, stream: StreamHandle) {
        if self.captures.origin(backend, stream) == Some(stream) {
            self.end_capture(backend, stream, Outcome::Done);
        } else {
            self.captures.leave(backend, stream);
        }
    }

    /// The backend says that a stream does not capture.
    pub(super) fn does_not_capture(&mut self, backend: BackendId, stream: StreamHandle) {
        if let Some(origin) = self.captures.origin(backend, stream) {
            self.end_capture(backend, origin, Outcome::Done);
        }
    }

    fn allocated(&mut self, call: &Call<'_>, key: Key, kind: MemoryKind, bytes: usize) {
        let memory = Memory { kind, bytes, location: call.place(), alias: None };
        self.history.begin(key, self.calls + 1, Some(memory));
    }

    /// A capture is over, unless another stream than its first one was asked.
    fn end_capture(
        &mut self,
        backend: BackendId,
        stream: StreamHandle,
        outcome: Outcome<'_>,
    ) -> Option<What> {
        let next = self.calls + 1;
        let Some(Capture { graph, entries, dropped, .. }) = self.captures.end(backend, stream) else {
            // One that began before the trace, of which nobody knows what it holds.
            if let Outcome::Graph(handle) = outcome {
                let graph = self.history.next_number(Thing::Graph);
                self.history.begin_as(graph, (Thing::Graph, backend, handle.get()), next, None);
                return Some(What::Capture(graph));
            }
            return None;
        };
        // Decoded at once: a graph may live much longer than the memory and the handles that it names are remembered.
        let known = Known { history: &self.history, names: &self.names };
        let mut held = Held::new(known, graph, &entries, dropped);
        let within = held.graph.records.iter().filter_map(Record::graph);
        held.within =
            within.filter_map(|number| Some((number, Arc::clone(self.graphs.get(&number)?)))).collect();
        self.graphs.insert(graph, Arc::new(held));
        let handle = match outcome {
            Outcome::Graph(handle) => handle.get(),
            // There is no graph. What was recorded is kept as long as the record of the capture.
            _ => 0,
        };
        let key = (Thing::Graph, backend, handle);
        self.history.begin_as(graph, key, next, None);
        if handle == 0 {
            self.history.end(key, graph, next);
        }
        Some(What::Capture(graph))
    }

    /// Forgets what no record can name.
    pub(super) fn forget(&mut self) {
        let oldest = self.ring.oldest().into_iter().chain(self.captures.oldest()).min();
        for graph in self.history.forget(oldest.unwrap_or(self.calls)) {
            self.graphs.remove(&graph);
        }
    }
}

/// What a call destroys.
pub(super) fn destroyed(operation: &Operation<'_>, backend: BackendId) -> Option<Key> {
    match *operation {
        Operation::Free { ptr } => Some((Thing::Memory, backend, ptr.address())),
        Operation::FreePinned { ptr } => Some((Thing::Pinned, backend, ptr.addr().get() as u64)),
        Operation::DestroyStream(stream) => Some((Thing::Stream, backend, stream.get())),
        Operation::DestroyEvent(event) => Some((Thing::Event, backend, event.get())),
        Operation::DestroyGraph(graph) => Some((Thing::Graph, backend, graph.get())),
        _ => None,
    }
}
