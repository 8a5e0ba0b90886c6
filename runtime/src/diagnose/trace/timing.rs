//! Device times, from a pair of events around each piece of work.

use std::collections::{HashMap, VecDeque};
use std::sync::{MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use super::Shared;
use super::recording::Interval;
use super::state::State;
use crate::backend::{BackendId, EventHandle, GpuBackend, StreamHandle};
use crate::error::{Error, Result};

/// How many pairs a backend has at most. When all are in use, half of them are waited for and read.
const MOST_PAIRS: usize = 4096;

/// `cuEventElapsedTime` returns milliseconds as a 32-bit float, which is good to a sixteenth of a microsecond up to here.
const FAR_NS: i64 = 1_000_000_000;

/// Why there is work without a time.
const NOT_WHILE_CAPTURING: &str = "work is not waited for while a stream captures";
const NOT_AT_THE_END: &str = "work is not waited for when the process ends";

#[derive(Clone, Copy, Debug)]
struct Pair {
    start: EventHandle,
    end: EventHandle,
}

/// When the device executed a piece of work.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceTime {
    clock: usize,
    /// On that clock.
    start: i64,
    duration: u64,
}

impl DeviceTime {
    /// On the host's clock.
    pub(super) fn interval(self, clocks: &[Clock]) -> Interval {
        let to_host = clocks.get(self.clock).map_or(0, |clock| clock.to_host);
        let start_ns = u64::try_from(self.start.saturating_add(to_host)).unwrap_or(0);
        Interval { start_ns, end_ns: start_ns.saturating_add(self.duration) }
    }
}

/// A clock of a device, which begins with the first pair of events since a trace was put around its backend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// What was found out of the way from here to the host's clock. No work starts before it was asked for, so this is the largest
    /// difference between the two.
    to_host: i64,
}

/// The events of one backend, as long as the trace is around it.
#[derive(Debug, Default)]
pub(super) struct Timing {
    pairs: Vec<Pair>,
    free: Vec<usize>,
    /// By the number of the call, in their order.
    pending: VecDeque<(u64, usize)>,
    /// The pair from whose start times are taken, and that start on the device's clock.
    anchor: Option<(usize, i64)>,
    /// The device's clock, once there is a time on it.
    clock: Option<usize>,
    /// The thread that reads, with pairs that are neither free nor pending.
    reading: Option<ThreadId>,
    /// There are no events to be had.
    given_up: bool,
}

impl Shared {
    /// Marks the start of work, with the pair of events that is returned.
    #[cold]
    pub(super) fn begin_timing(&self, inner: &dyn GpuBackend, stream: StreamHandle) -> Option<usize> {
        // Events recorded in a capture would become part of the graph. A stream that cannot say takes no events either.
        match inner.is_capturing(stream) {
            Ok(false) | Err(Error::Unsupported { .. }) => {}
            Ok(true) | Err(_) => return None,
        }
        let backend = inner.id();
        let index = self.take_pair(inner, backend)?;
        let start = self.lock().timing(backend).pairs.get(index)?.start;
        match inner.record_event(start, stream) {
            Ok(()) => Some(index),
            Err(error) => {
                self.give_back(backend, index, Some(&error));
                None
            }
        }
    }

    /// Marks the end of work that began with `begin_timing`, and returns the pair where its time can be read later.
    #[cold]
    pub(super) fn end_timing(
        &self,
        inner: &dyn GpuBackend,
        stream: StreamHandle,
        index: usize,
        succeeded: bool,
    ) -> Option<usize> {
        let backend = inner.id();
        let end = self.lock().timing(backend).pairs.get(index)?.end;
        let recorded = if succeeded { inner.record_event(end, stream) } else { Ok(()) };
        if succeeded && recorded.is_ok() {
            return Some(index);
        }
        self.give_back(backend, index, recorded.as_ref().err());
        None
    }

    fn give_back(&self, backend: BackendId, index: usize, error: Option<&Error>) {
        let mut state = self.lock();
        state.timing(backend).free.push(index);
        if let Some(error) = error {
            state.note_problem(error);
        }
    }

    /// A pair that nobody uses; none where all are in use and cannot be read, or there are no events to be had.
    fn take_pair(&self, inner: &dyn GpuBackend, backend: BackendId) -> Option<usize> {
        {
            let mut state = self.lock();
            let timing = state.timing(backend);
            if timing.given_up {
                return None;
            }
            if let Some(index) = timing.free.pop() {
                return Some(index);
            }
            if timing.pairs.len() >= MOST_PAIRS {
                drop(state);
                self.read_times(inner, MOST_PAIRS / 2);
                let mut state = self.lock();
                let found = state.timing(backend).free.pop();
                if found.is_none() {
                    state.note_problem_text(format!(
                        "all {MOST_PAIRS} pairs of events were in use, which nothing waits for while a stream captures"
                    ));
                }
                return found;
            }
        }
        let create = || Ok(Pair { start: inner.create_event(true)?, end: inner.create_event(true)? });
        let created: Result<Pair> = create();
        let mut state = self.lock();
        match created {
            Ok(pair) => {
                let pairs = &mut state.timing(backend).pairs;
                pairs.push(pair);
                Some(pairs.len() - 1)
            }
            Err(error) => {
                state.timing(backend).given_up = true;
                state.note_problem(&error);
                None
            }
        }
    }

    /// Waits for the work of up to `most` pairs, the oldest, and keeps their times. While something is captured it waits for
    /// nothing.
    pub(super) fn read_times(&self, inner: &dyn GpuBackend, most: usize) {
        let backend = inner.id();
        let me = std::thread::current().id();
        let (batch, pairs, mut anchor, clock) = {
            let mut state = self.lock();
            if state.is_capturing(backend) {
                return;
            }
            let Some(timing) = state.timings.get_mut(&backend).filter(|timing| timing.reading.is_none())
            else {
                return;
            };
            timing.reading = Some(me);
            let count = most.min(timing.pending.len());
            let batch: Vec<_> = timing.pending.drain(..count).collect();
            (batch, timing.pairs.clone(), timing.anchor, timing.clock)
        };
        let read = Batch::read(inner, &pairs, &batch, &mut anchor);
        let mut state = self.lock();
        let clock = state.keep_times(clock, &read);
        if let Some(timing) = state.timings.get_mut(&backend).filter(|timing| timing.reading == Some(me)) {
            timing.anchor = anchor;
            timing.clock = clock;
            timing.free.extend(read.free);
            timing.reading = None;
        }
        self.has_read.notify_all();
    }

    fn when_nobody_reads(&self, backend: BackendId) -> MutexGuard<'_, State> {
        let me = std::thread::current().id();
        let is_read = |state: &mut State| {
            state.timings.get(&backend).and_then(|timing| timing.reading).is_some_and(|reader| reader != me)
        };
        self.has_read.wait_while(self.lock(), is_read).unwrap_or_else(PoisonError::into_inner)
    }

    /// A layer of the trace closes. With the last one around a backend, reads what is left and destroys the events.
    pub(super) fn close_timing(&self, inner: &dyn GpuBackend) {
        let backend = inner.id();
        // Another thread may be reading the trace, with the events that are destroyed here.
        let mut state = self.when_nobody_reads(backend);
        if !state.layers.close(backend) {
            return;
        }
        let captures = state.is_capturing(backend);
        // A layer that is put around the backend from now on has events of its own.
        let Some(timing) = state.timings.remove(&backend) else { return };
        if captures && !timing.pending.is_empty() {
            state.note_problem_text(NOT_WHILE_CAPTURING.into());
        }
        drop(state);
        if !captures {
            let (batch, mut anchor) = (Vec::from(timing.pending), timing.anchor);
            let read = Batch::read(inner, &timing.pairs, &batch, &mut anchor);
            self.lock().keep_times(timing.clock, &read);
        }
        for event in timing.pairs.iter().flat_map(|pair| [pair.start, pair.end]) {
            // SAFETY: the event was made here, and the list that had it is gone.
            if let Err(error) = unsafe { inner.destroy_event(event) } {
                self.lock().note_problem(&error);
            }
        }
    }
}

/// Times that were read.
#[derive(Debug, Default)]
struct Batch {
    /// The numbers of the calls, with when their work started on the device's clock, and how long it took.
    times: Vec<(u64, i64, u64)>,
    /// The pairs that are not in use any more.
    free: Vec<usize>,
    /// Why some could not be read.
    problem: Option<Error>,
}

impl Batch {
    /// Waits for the work of these calls, each with its pair.
    fn read(
        inner: &dyn GpuBackend,
        pairs: &[Pair],
        calls: &[(u64, usize)],
        anchor: &mut Option<(usize, i64)>,
    ) -> Self {
        let mut batch = Self::default();
        for (call, index) in calls {
            match read_pair(inner, pairs, *index, *anchor) {
                Ok((start, duration)) => {
                    batch.times.push((*call, start, duration));
                    // The pair that is the anchor stays in use until another one is.
                    match *anchor {
                        Some((_, at)) if (start - at).abs() <= FAR_NS => batch.free.push(*index),
                        _ => batch.free.extend(anchor.replace((*index, start)).map(|(index, _)| index)),
                    }
                }
                Err(error) => {
                    batch.problem.get_or_insert(error);
                    batch.free.push(*index);
                }
            }
        }
        batch
    }
}

/// When work started on the device's clock, and how long it took.
fn read_pair(
    inner: &dyn GpuBackend,
    pairs: &[Pair],
    index: usize,
    anchor: Option<(usize, i64)>,
) -> Result<(i64, u64)> {
    let Pair { start, end } = pair(pairs, index)?;
    inner.synchronize_event(end)?;
    let duration = nanoseconds(inner.elapsed(start, end)?);
    let start = match anchor {
        None => 0,
        Some((anchor, at)) => {
            let anchor = pair(pairs, anchor)?.start;
            match nanoseconds(inner.elapsed(anchor, start)?) {
                // Zero also stands for a start before the anchor's, on another stream.
                0 => at - nanoseconds(inner.elapsed(start, anchor)?),
                after => at + after,
            }
        }
    };
    Ok((start, duration.unsigned_abs()))
}

fn pair(pairs: &[Pair], index: usize) -> Result<Pair> {
    pairs.get(index).copied().ok_or_else(|| anyhow::anyhow!("there is no pair of events {index}").into())
}

fn nanoseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

impl State {
    pub(super) fn timing(&mut self, backend: BackendId) -> &mut Timing {
        self.timings.entry(backend).or_default()
    }

    /// The time of a call's work can be read later.
    pub(super) fn await_time(&mut self, backend: BackendId, call: u64, pair: usize) {
        self.timing(backend).pending.push_back((call, pair));
    }

    /// Keeps times that were read on a clock, a new one where there is none yet, and returns the clock.
    fn keep_times(&mut self, mut clock: Option<usize>, read: &Batch) -> Option<usize> {
        if let Some(error) = &read.problem {
            self.note_problem(error);
        }
        for &(call, start, duration) in &read.times {
            let Some(entry) = self.ring.find(call) else { continue };
            let difference = i64::try_from(entry.start_ns).unwrap_or(i64::MAX) - start;
            let index = *clock.get_or_insert_with(|| {
                self.clocks.push(Clock { to_host: difference });
                self.clocks.len() - 1
            });
            entry.device = Some(DeviceTime { clock: index, start, duration });
            if let Some(clock) = self.clocks.get_mut(index) {
                clock.to_host = clock.to_host.max(difference);
            }
        }
        clock
    }

    /// Why there is work whose time was not read; at the end of the process, none is read any more.
    pub(super) fn unread(&self, process_ends: bool) -> Option<&'static str> {
        let unread = self.timings.iter().filter(|(_, timing)| !timing.pending.is_empty());
        let mut reasons = unread.filter_map(|(backend, _)| {
            let at_the_end = || process_ends.then_some(NOT_AT_THE_END);
            if self.is_capturing(*backend) { Some(NOT_WHILE_CAPTURING) } else { at_the_end() }
        });
        reasons.next()
    }

    pub(super) fn note_problem(&mut self, error: &Error) {
        self.note_problem_text(error.to_string());
    }

    /// Keeps the first few different ones.
    fn note_problem_text(&mut self, text: String) {
        if self.problems.len() < 8 && !self.problems.contains(&text) {
            self.problems.push(text);
        }
    }
}

/// The device times of each backend that has any.
pub(super) type Timings = HashMap<BackendId, Timing>;
