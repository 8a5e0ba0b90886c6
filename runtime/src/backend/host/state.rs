use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::capture::{Capture, Precedes};
use super::memory::Memory;
use super::stream::{Mark, StreamSet};
use super::work::Work;
use crate::backend::{BackendId, EventHandle, StreamHandle};
use crate::error::{Error, Result};

/// All of a backend that changes, behind one lock: whoever holds it is alone with the memory.
#[derive(Debug)]
pub(super) struct State {
    pub(super) memory: Memory,
    pub(super) streams: StreamSet,
    pub(super) events: HashMap<u64, Event>,
    pub(super) graphs: HashMap<u64, Graph>,
    pub(super) captures: HashMap<u64, Capture>,
    label: Box<str>,
    delayed: bool,
    next_handle: u64,
}

#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Arc<[Work]>,
    /// The end of its latest launch.
    pub(super) latest: Option<Mark>,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) timing: bool,
    pub(super) recorded: Option<Recorded>,
}

#[derive(Debug)]
pub(super) enum Recorded {
    /// On a stream; with the time, once it is reached.
    Stream { mark: Mark, at: Option<Instant> },
    /// On a stream that was capturing.
    Captured { capture: u64, point: Precedes },
}

impl State {
    pub(super) fn new(backend: BackendId, label: Box<str>, memory: usize, delayed: bool) -> Self {
        Self {
            memory: Memory::new(backend, memory),
            streams: StreamSet::new(),
            events: HashMap::new(),
            graphs: HashMap::new(),
            captures: HashMap::new(),
            label,
            delayed,
            next_handle: backend.first_handle(),
        }
    }

    /// A number that no handle of this or another backend has.
    pub(super) fn handle(&mut self) -> u64 {
        let handle = self.next_handle;
        self.next_handle += 1;
        handle
    }

    pub(super) fn unknown(&self, operation: &'static str, what: &'static str, handle: u64) -> Error {
        Error::UnknownHandle { operation, what, handle, backend: self.label.clone() }
    }

    /// The stream's number, if it is live.
    pub(super) fn stream(&self, operation: &'static str, stream: StreamHandle) -> Result<u64> {
        match self.streams.live(stream.get()) {
            Some(_) => Ok(stream.get()),
            None => Err(self.unknown(operation, "stream", stream.get())),
        }
    }

    pub(super) fn event(&mut self, operation: &'static str, event: EventHandle) -> Result<&mut Event> {
        if !self.events.contains_key(&event.get()) {
            return Err(self.unknown(operation, "event", event.get()));
        }
        Ok(self.events.get_mut(&event.get()).expect("it was just found"))
    }

    /// Enqueues work that was found possible; in immediate mode, does it.
    pub(super) fn enqueue(
        &mut self,
        operation: &'static str,
        stream: StreamHandle,
        work: Work,
    ) -> Result<()> {
        let stream = self.stream(operation, stream)?;
        work.check(operation, &self.memory)?;
        if let Some(capture) = self.capture_of(operation, stream)? {
            capture.push(stream, work);
            return Ok(());
        }
        let end = self.streams.push(stream, work);
        if self.delayed { Ok(()) } else { self.run_to(end) }
    }

    /// The capture that a stream takes part in.
    ///
    /// # Errors
    ///
    /// Where no graph can come of it any more.
    pub(super) fn capture_of(
        &mut self,
        operation: &'static str,
        stream: u64,
    ) -> Result<Option<&mut Capture>> {
        let Some(number) = self.streams.live(stream).and_then(|stream| stream.capture) else {
            return Ok(None);
        };
        let Some(capture) = self.captures.get_mut(&number) else { return Ok(None) };
        match &capture.invalid {
            Some(reason) => Err(Error::Capture {
                operation,
                problem: format!(
                    "the capture on this stream is invalid because {reason}; end or abandon it first"
                )
                .into(),
            }),
            None => Ok(Some(capture)),
        }
    }

    /// Refuses what a stream cannot do while it captures. The capture goes on without it.
    pub(super) fn refuse_if_capturing(
        &self,
        operation: &'static str,
        stream: u64,
        advice: &str,
    ) -> Result<()> {
        if self.streams.live(stream).is_none_or(|stream| stream.capture.is_none()) {
            return Ok(());
        }
        let problem = format!("stream {stream:#x} is capturing; {advice}").into();
        Err(Error::Capture { operation, problem })
    }

    /// Makes the capture of a stream invalid, if it has one; the error that says so.
    pub(super) fn forbid_capturing(
        &mut self,
        operation: &'static str,
        stream: u64,
        advice: &str,
    ) -> Result<()> {
        let Some(number) = self.streams.live(stream).and_then(|stream| stream.capture) else {
            return Ok(());
        };
        self.invalidate(number, &format!("`{operation}` was called on it"));
        Err(Error::Capture {
            operation,
            problem: format!("stream {stream:#x} is capturing, which this makes invalid; {advice}").into(),
        })
    }

    pub(super) fn invalidate(&mut self, capture: u64, reason: &str) {
        if let Some(capture) = self.captures.get_mut(&capture) {
            capture.invalidate(reason);
        }
    }

    /// Does all that is enqueued on a stream.
    pub(super) fn finish(&mut self, stream: u64) -> Result<()> {
        self.run_to(self.streams.end_of(stream))
    }

    /// Does what is needed to reach a mark, on other streams too. Work after one that failed is done
    /// all the same, as it is when each is done at once; the first error is returned.
    pub(super) fn run_to(&mut self, mark: Mark) -> Result<()> {
        let mut first = self.streams.take_failure(Some(mark.stream));
        while let Some(next) = self.streams.next_towards(mark) {
            if let Err(error) = self.step(next) {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Does everything that is enqueued anywhere, the most urgent first.
    pub(super) fn run_all(&mut self) -> Result<()> {
        let mut first = self.streams.take_failure(None);
        while let Some(next) = self.streams.next_of_all() {
            if let Err(error) = self.step(next) {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// As [`run_all`](Self::run_all), for a call that does not speak of the work: each error stays with the
    /// stream it came from, for the next call that waits for that.
    pub(super) fn run_all_quietly(&mut self) {
        while let Some(next) = self.streams.next_of_all() {
            if let Err(error) = self.step(next) {
                self.streams.keep_failure(next, error);
            }
        }
    }

    /// Whether a mark is reached; if not, does one piece of work towards it, so that asking again and again
    /// comes to an end.
    pub(super) fn poll(&mut self, mark: Mark) -> Result<bool> {
        if let Some(error) = self.streams.take_failure(Some(mark.stream)) {
            return Err(error);
        }
        match self.streams.next_towards(mark) {
            None => Ok(true),
            Some(next) => self.step(next).map(|()| false),
        }
    }

    fn step(&mut self, stream: u64) -> Result<()> {
        match self.streams.pop(stream) {
            Some(Work::Record { event, mark: reached }) => {
                if let Some(Event { recorded: Some(Recorded::Stream { mark, at }), .. }) =
                    self.events.get_mut(&event)
                    && *mark == reached
                {
                    *at = Some(Instant::now());
                }
                Ok(())
            }
            Some(work) => work.execute(&self.memory),
            None => Ok(()),
        }
    }
}
