//! Device times, from a pair of events around each piece of work.

use std::collections::{HashMap, VecDeque};
use std::sync::{MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use super::Shared;
use super::state::State;
use crate::backend::{BackendId, EventHandle, GpuBackend, StreamHandle};
use crate::error::{Error, Result};

/// How many pairs a backend has at most. When all are in use, half of them are waited for and read.
const MOST_PAIRS: usize = 4096;

/// `cuEventElapsedTime` returns milliseconds as a 32-bit float, which is good to a sixteenth of a microsecond up to here.
const FAR_NS: i64 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
struct Pair {
    start: EventHandle,
    end: EventHandle,
}

/// The events of one backend.
#[derive(Debug, Default)]
pub(super) struct Timing {
    pairs: Vec<Pair>,
    free: Vec<usize>,
    /// By the number of the call, in their order.
    pending: VecDeque<(u64, usize)>,
    /// The pair from whose start times are taken, and that start on the device's clock, which begins with the first pair.
    anchor: Option<(usize, i64)>,
    /// The thread that reads, with pairs that are neither free nor pending.
    reading: Option<ThreadId>,
    /// What was found out of the way from the device's clock to the host's. No work starts before it was asked for, so
    /// this is the largest difference between the two.
    pub(super) to_host: Option<i64>,
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
        let start = self.lock().timing(backend).pairs[index].start;
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
        let end = self.lock().timing(backend).pairs[index].end;
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
        let (batch, pairs, mut anchor) = {
            let mut state = self.lock();
            if state.is_capturing(backend) {
                return;
            }
            let Some(timing) = state.timings.get_mut(&backend).filter(|timing| timing.reading.is_none())
            else {
                return;
            };
            timing.reading = Some(std::thread::current().id());
            let count = most.min(timing.pending.len());
            (timing.pending.drain(..count).collect::<Vec<_>>(), timing.pairs.clone(), timing.anchor)
        };
        let mut read = Vec::with_capacity(batch.len());
        let mut problem = None;
        let mut free = Vec::with_capacity(batch.len());
        for (call, index) in &batch {
            match read_pair(inner, &pairs, *index, anchor) {
                Ok((start, duration)) => {
                    read.push((*call, start, duration));
                    // The pair that is the anchor stays in use until another one is.
                    match anchor {
                        Some((_, at)) if (start - at).abs() <= FAR_NS => free.push(*index),
                        _ => free.extend(anchor.replace((*index, start)).map(|(index, _)| index)),
                    }
                }
                Err(error) => {
                    problem = problem.or(Some(error));
                    free.push(*index);
                }
            }
        }
        let mut state = self.lock();
        state.keep_times(backend, &read);
        let timing = state.timing(backend);
        timing.anchor = anchor;
        timing.free.extend(free);
        timing.reading = None;
        self.has_read.notify_all();
        if let Some(error) = problem {
            state.note_problem(&error);
        }
    }

    fn when_nobody_reads(&self, backend: BackendId) -> MutexGuard<'_, State> {
        let me = std::thread::current().id();
        let is_read = |state: &mut State| {
            state.timings.get(&backend).and_then(|timing| timing.reading).is_some_and(|reader| reader != me)
        };
        self.has_read.wait_while(self.lock(), is_read).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is left, and destroys the events.
    pub(super) fn close_timing(&self, inner: &dyn GpuBackend) {
        // Another thread may be reading the trace, with the events that are destroyed here.
        drop(self.when_nobody_reads(inner.id()));
        self.read_times(inner, usize::MAX);
        let pairs = match self.when_nobody_reads(inner.id()).timings.get_mut(&inner.id()) {
            None => return,
            Some(timing) => {
                timing.given_up = true;
                timing.free.clear();
                timing.pending.clear();
                timing.anchor = None;
                std::mem::take(&mut timing.pairs)
            }
        };
        for event in pairs.iter().flat_map(|pair| [pair.start, pair.end]) {
            // SAFETY: the event was made here, and the list that had it is gone.
            if let Err(error) = unsafe { inner.destroy_event(event) } {
                self.lock().note_problem(&error);
            }
        }
    }
}

/// When work started on the device's clock, and how long it took.
fn read_pair(
    inner: &dyn GpuBackend,
    pairs: &[Pair],
    index: usize,
    anchor: Option<(usize, i64)>,
) -> Result<(i64, u64)> {
    let Pair { start, end } = pairs[index];
    inner.synchronize_event(end)?;
    let duration = nanoseconds(inner.elapsed(start, end)?);
    let start = match anchor {
        None => 0,
        Some((anchor, at)) => {
            let anchor = pairs[anchor].start;
            match nanoseconds(inner.elapsed(anchor, start)?) {
                // Zero also stands for a start before the anchor's, on another stream.
                0 => at - nanoseconds(inner.elapsed(start, anchor)?),
                after => at + after,
            }
        }
    };
    Ok((start, duration.unsigned_abs()))
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

    fn keep_times(&mut self, backend: BackendId, read: &[(u64, i64, u64)]) {
        let mut to_host = self.timing(backend).to_host;
        for (call, start, duration) in read {
            if let Some(entry) = self.ring.find(*call) {
                entry.device = Some((*start, *duration));
                let difference = i64::try_from(entry.start_ns).unwrap_or(i64::MAX) - start;
                to_host = to_host.max(Some(difference));
            }
        }
        self.timing(backend).to_host = to_host;
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
