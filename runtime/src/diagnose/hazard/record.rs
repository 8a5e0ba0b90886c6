//! What the calls of a backend have done so far.

use std::collections::HashMap;
use std::panic::Location;

use super::access::Plan;
use super::capture::{Capture, CaptureId, Graph, Mark};
use super::memory::{Allocation, Freed, Memory, Space};
use super::order::{Clock, Entry, Step};
use super::report::Hazard;
use super::world::World;
use super::{AllowedUse, UncheckedUses};
use crate::argument::DevicePtr;
use crate::backend::{EventHandle, GraphHandle, StreamHandle};
use crate::diagnose::{Call, MemoryKind, Operation, Order, Outcome, Transfer};
use crate::error::Error;

/// What is known of one backend.
#[derive(Debug)]
pub(super) struct Record {
    memory: Memory,
    world: World,
    events: HashMap<EventHandle, Mark>,
    captures: HashMap<CaptureId, Capture>,
    /// The capture that a stream takes part in.
    capturing: HashMap<StreamHandle, CaptureId>,
    graphs: HashMap<GraphHandle, Graph>,
    /// Calls that are under way, by the number that each has in its note.
    pending: Vec<(u64, Pending)>,
    calls: u64,
    next_capture: CaptureId,
}

/// What a call leaves to be done once its outcome is known.
#[derive(Debug)]
enum Pending {
    /// Work was remembered, which the call waits for.
    Work(Work, Clock),
    /// The call waits for this, or asks whether it is reached.
    Wait(Clock),
    Stream(StreamHandle, Entry),
    Event(EventHandle, Mark),
    Graph(GraphHandle, Graph),
    Memory(Allocation),
}

/// Work that was remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Work {
    step: Step,
    /// The capture that it is part of, or zero.
    capture: CaptureId,
}

impl Work {
    fn to_note(self) -> [u64; 2] {
        [self.step.number, u64::from(self.step.lane) | u64::from(self.capture) << 32]
    }

    #[allow(clippy::cast_possible_truncation)] // Each is one half.
    fn of_note([number, rest]: [u64; 2]) -> Self {
        let (lane, capture) = (rest as u32, (rest >> 32) as u32);
        Self { step: Step { lane, number }, capture }
    }
}

/// Marks the note of a call that has something in [`Record::pending`].
const PENDING: u64 = 1 << 63;

/// Whether nothing is left to be done for a call that succeeded.
pub(super) fn is_settled(call: &Call<'_>) -> bool {
    call.operation.is_work() && call.note.get()[0] & PENDING == 0
}

/// What came of looking at a call.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) found: Vec<Hazard>,
    pub(super) unchecked: UncheckedUses,
    /// Whether the call must not be passed on.
    pub(super) refused: bool,
}

impl Record {
    pub(super) fn new() -> Self {
        Self {
            memory: Memory::default(),
            world: World::new(),
            events: HashMap::new(),
            captures: HashMap::new(),
            capturing: HashMap::new(),
            graphs: HashMap::new(),
            pending: Vec::new(),
            calls: 0,
            next_capture: 0,
        }
    }

    /// Others enqueue on a stream from now on, or order it. They may wait for what it has done so far, and have others wait for it.
    pub(super) fn share(&mut self, stream: StreamHandle) {
        self.world.order.share(stream);
        let mark = self.world.order.mark(stream);
        self.world.order.host_waited(&mark);
    }

    /// A call is about to be passed on.
    pub(super) fn before(&mut self, call: &Call<'_>, allowed: &[AllowedUse], strict: bool) -> Verdict {
        let pending = match call.operation {
            Operation::Copy(Transfer { order, .. }) | Operation::Fill { order, .. } => {
                let plan = Plan::of(call, &self.memory, allowed);
                return self.work(call, order, &plan, strict);
            }
            Operation::CopyRectangle { stream, .. } | Operation::LaunchRaw { stream, .. } => {
                let plan = Plan::of(call, &self.memory, allowed);
                return self.work(call, Order::Async(stream), &plan, strict);
            }
            Operation::Launch(launch) => {
                let plan = Plan::of(call, &self.memory, allowed);
                return self.work(call, Order::Async(launch.stream), &plan, strict);
            }
            Operation::LaunchGraph { graph, stream } => return self.graph(call, graph, stream, strict),
            // What was enqueued before the call, also where other threads enqueue more meanwhile.
            Operation::Synchronize => Some(Pending::Wait(self.world.order.mark_of_all())),
            Operation::SynchronizeStream(stream) | Operation::IsStreamIdle(stream) => {
                Some(Pending::Wait(self.world.order.mark(stream)))
            }
            Operation::SynchronizeEvent(event) | Operation::IsEventDone(event) => {
                Some(Pending::Wait(self.reached(event)))
            }
            Operation::Elapsed { start, end } => {
                let mut both = self.reached(start);
                both.join(&self.reached(end));
                Some(Pending::Wait(both))
            }
            // Taken out now: once it is destroyed, another may be given its handle or its address before this thread returns.
            Operation::DestroyStream(stream) => {
                self.world.order.take(stream).map(|entry| Pending::Stream(stream, entry))
            }
            Operation::DestroyEvent(event) => {
                self.events.remove(&event).map(|mark| Pending::Event(event, mark))
            }
            Operation::DestroyGraph(graph) => {
                self.graphs.remove(&graph).map(|taken| Pending::Graph(graph, taken))
            }
            Operation::Free { ptr } => self.memory.take(Space::Device, ptr.address()).map(Pending::Memory),
            Operation::FreePinned { ptr } => {
                self.memory.take(Space::Host, ptr.addr().get() as u64).map(Pending::Memory)
            }
            _ => None,
        };
        if let Some(pending) = pending {
            self.keep(call, pending);
        }
        Verdict::default()
    }

    fn keep(&mut self, call: &Call<'_>, pending: Pending) {
        self.calls += 1;
        let number = self.calls | PENDING;
        self.pending.push((number, pending));
        call.note.set([number, 0]);
    }

    fn take_kept(&mut self, call: &Call<'_>) -> Option<Pending> {
        let [number, _] = call.note.get();
        let index = self.pending.iter().position(|(kept, _)| *kept == number)?;
        Some(self.pending.swap_remove(index).1)
    }

    /// Compares work with what was remembered, and remembers it.
    fn work(&mut self, call: &Call<'_>, order: Order, plan: &Plan, strict: bool) -> Verdict {
        let stream = order.stream();
        let mut verdict = Verdict::default();
        verdict.unchecked.launches = plan.unchecked_launches;
        verdict.unchecked.arguments = plan.unchecked_arguments;
        // Others may order such a stream, or what they enqueue on it.
        let foreign = self.world.order.entry(stream).foreign;
        verdict.unchecked.foreign_streams = u64::from(foreign);
        let planned = if foreign { &[][..] } else { &plan.accesses[..] };
        for (site, kind, ptr, freed) in &plan.freed {
            // What a graph was captured with does not become somebody else's.
            if site.graph.is_some() || !is_somebodys(call, *ptr) {
                verdict.found.push(Hazard::of_freed(*site, *kind, stream, freed));
            }
        }
        let capture = self.capturing.get(&stream).copied().unwrap_or(0);
        let world = match self.captures.get_mut(&capture) {
            Some(capture) => &mut capture.world,
            None => &mut self.world,
        };
        let step = world.order.next(stream);
        for conflict in world.conflicts(step, planned) {
            verdict.found.push(Hazard::of_conflict(&conflict, stream, &self.memory));
        }
        verdict.refused = strict && verdict.found.iter().any(|hazard| hazard.certain);
        if verdict.refused {
            return verdict;
        }
        verdict.unchecked.forgotten = world.commit(step, stream, planned) as u64;
        let work = Work { step, capture };
        if order.is_blocking() {
            let reached = world.order.before(step).clone();
            self.keep(call, Pending::Work(work, reached));
        } else {
            call.note.set(work.to_note());
        }
        verdict
    }

    /// A launch of a graph, which comes after the earlier launches of the same one.
    fn graph(&mut self, call: &Call<'_>, handle: GraphHandle, stream: StreamHandle, strict: bool) -> Verdict {
        let Some(graph) = self.graphs.get(&handle) else {
            let plan = Plan { unchecked_launches: 1, ..Plan::default() };
            return self.work(call, Order::Async(stream), &plan, strict);
        };
        let plan = graph.plan(call.place());
        if self.capturing.contains_key(&stream) {
            return self.work(call, Order::Async(stream), &plan, strict);
        }
        let before = self.world.order.mark(stream);
        self.world.order.wait(stream, &graph.latest);
        let verdict = self.work(call, Order::Async(stream), &plan, strict);
        if verdict.refused {
            self.world.order.restore_mark(stream, before);
        } else if let Some(graph) = self.graphs.get_mut(&handle) {
            graph.latest = self.world.order.mark(stream);
        }
        verdict
    }

    /// What comes before the mark of an event. Nothing where it was never recorded, or recorded in a capture.
    fn reached(&self, event: EventHandle) -> Clock {
        match self.events.get(&event) {
            Some(Mark { capture: None, clock }) => clock.clone(),
            _ => Clock::default(),
        }
    }

    /// A call returned. Whether the capture that it was to end goes on.
    pub(super) fn after(&mut self, call: &Call<'_>, outcome: Outcome<'_>, capture_goes_on: bool) {
        if let Some(pending) = self.take_kept(call) {
            self.settle(call, pending, outcome);
        } else if let (true, Outcome::Failed(_)) = (call.operation.is_work(), outcome) {
            self.retract(Work::of_note(call.note.get()));
        }
        match (call.operation, outcome) {
            (Operation::Allocate { memory, bytes }, Outcome::Memory(ptr)) => {
                self.allocated(memory, ptr.address(), bytes, call.place());
            }
            (Operation::Allocate { memory, bytes }, Outcome::Pinned(ptr)) => {
                self.allocated(memory, ptr.addr().get() as u64, bytes, call.place());
            }
            (Operation::PinnedDevicePtr { ptr }, Outcome::Memory(device)) => {
                self.memory.alias(ptr.addr().get() as u64, device);
            }
            (Operation::CreateStream { .. }, Outcome::Stream(stream)) => self.world.order.create(stream),
            (Operation::RecordEvent { event, stream }, Outcome::Done) => {
                let mark = self.mark(stream);
                self.events.insert(event, mark);
            }
            (Operation::StreamWaitEvent { stream, event }, Outcome::Done) => {
                if let Some(mark) = self.events.get(&event).cloned() {
                    self.wait(stream, &mark);
                }
            }
            (Operation::StreamWaitStream { waiting, other }, Outcome::Done) => {
                let mark = self.mark(other);
                self.wait(waiting, &mark);
            }
            (Operation::BeginCapture(stream), Outcome::Done) => {
                self.next_capture = self.next_capture.checked_add(1).unwrap_or(1);
                self.captures.insert(self.next_capture, Capture::new(stream));
                self.capturing.insert(stream, self.next_capture);
            }
            (Operation::EndCapture(stream), Outcome::Graph(graph)) => {
                if let Some(capture) = self.end_capture(stream) {
                    self.graphs.insert(graph, Graph::new(capture, &self.memory));
                }
            }
            (Operation::AbandonCapture(stream), Outcome::Done)
            | (Operation::IsCapturing(stream), Outcome::Answer(false)) => {
                self.end_capture(stream);
            }
            (Operation::EndCapture(stream) | Operation::AbandonCapture(stream), Outcome::Failed(_))
                if !capture_goes_on =>
            {
                self.end_capture(stream);
            }
            _ => {}
        }
    }

    fn settle(&mut self, call: &Call<'_>, pending: Pending, outcome: Outcome<'_>) {
        let failed = match outcome {
            Outcome::Failed(error) => Some(error),
            _ => None,
        };
        match pending {
            Pending::Work(work, reached) => {
                if failed.is_some() {
                    self.retract(work);
                }
                // A call that waits also returns what earlier work did wrong.
                if !failed.is_some_and(did_not_wait) {
                    self.world.order.host_waited(&reached);
                }
            }
            Pending::Wait(clock) => {
                let reached = match outcome {
                    Outcome::Answer(answer) => answer,
                    Outcome::Failed(error) => {
                        !matches!(call.operation, Operation::Elapsed { .. }) && !did_not_wait(error)
                    }
                    _ => true,
                };
                if reached {
                    self.world.order.host_waited(&clock);
                }
            }
            Pending::Stream(stream, entry) if failed.is_some() => self.world.order.restore(stream, entry),
            Pending::Stream(stream, entry) => {
                self.world.order.end(entry);
                match self.capturing.get(&stream).and_then(|capture| self.captures.get(capture)) {
                    Some(capture) if capture.origin == stream => drop(self.end_capture(stream)),
                    _ => drop(self.capturing.remove(&stream)),
                }
            }
            Pending::Event(event, mark) => {
                if failed.is_some() {
                    self.events.entry(event).or_insert(mark);
                }
            }
            Pending::Graph(handle, graph) => {
                if failed.is_some() {
                    self.graphs.entry(handle).or_insert(graph);
                }
            }
            Pending::Memory(allocation) if failed.is_some() => self.memory.restore(allocation),
            Pending::Memory(allocation) => self.freed(Freed { allocation, location: call.location }),
        }
    }

    /// Work failed: it uses nothing.
    fn retract(&mut self, work: Work) {
        match self.captures.get_mut(&work.capture) {
            Some(capture) => capture.world.retract(work.step),
            None => self.world.retract(work.step),
        }
    }

    fn allocated(
        &mut self,
        kind: MemoryKind,
        start: u64,
        bytes: usize,
        location: &'static Location<'static>,
    ) {
        let extent = self.memory.allocate(kind, start, bytes, location);
        self.world.forget(&extent);
    }

    /// Memory was freed, and all work that used it is completed first.
    fn freed(&mut self, freed: Freed) {
        let extent = freed.allocation.extent();
        // Unless another thread was given it already, and uses it.
        if self.memory.free(freed) {
            self.world.forget(&extent);
        }
        self.captures.values_mut().for_each(|capture| capture.note_freed(&freed));
        self.graphs.values_mut().for_each(|graph| graph.note_freed(&freed));
    }

    /// Where a stream stands, in its capture or outside of one.
    fn mark(&mut self, stream: StreamHandle) -> Mark {
        let capture = self.capturing.get(&stream).copied();
        let world = match capture.and_then(|capture| self.captures.get_mut(&capture)) {
            Some(capture) => &mut capture.world,
            None => &mut self.world,
        };
        Mark { capture, clock: world.order.mark(stream) }
    }

    /// A stream waits for a mark. That of a capture makes it take part.
    fn wait(&mut self, stream: StreamHandle, mark: &Mark) {
        match mark.capture {
            None if self.capturing.contains_key(&stream) => {}
            // Whoever else has the stream may wait for it in turn, unseen.
            None if self.world.order.entry(stream).foreign => self.world.order.host_waited(&mark.clock),
            None => self.world.order.wait(stream, &mark.clock),
            Some(number) => {
                if let Some(capture) = self.captures.get_mut(&number) {
                    self.capturing.insert(stream, number);
                    capture.world.order.ensure(stream);
                    capture.world.order.wait(stream, &mark.clock);
                }
            }
        }
    }

    /// The capture that a stream takes part in is over.
    fn end_capture(&mut self, stream: StreamHandle) -> Option<Capture> {
        let number = self.capturing.get(&stream).copied()?;
        self.capturing.retain(|_, capture| *capture != number);
        self.captures.remove(&number)
    }
}

/// Whether a call that had to wait refused to, so that it waited for nothing. Other errors are those of the work that it
/// waited for.
fn did_not_wait(error: &Error) -> bool {
    matches!(
        error.failure(),
        Error::Capture { .. }
            | Error::UnknownHandle { .. }
            | Error::Unsupported { .. }
            | Error::Injected { .. }
    )
}

/// Whether memory that was freed through the layer has been allocated again by somebody else.
#[cfg(feature = "cuda")]
fn is_somebodys(call: &Call<'_>, ptr: DevicePtr) -> bool {
    call.inner.as_cuda().is_some_and(|cuda| cuda.is_allocated(ptr))
}

#[cfg(not(feature = "cuda"))]
fn is_somebodys(_: &Call<'_>, _: DevicePtr) -> bool {
    false
}
