use std::collections::{BTreeMap, VecDeque};

use super::work::Work;
use crate::error::Error;

/// The default stream.
pub(super) const DEFAULT: u64 = 0;

/// A place on a stream: reached when so many pieces of work have been done there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) stream: u64,
    pub(super) position: u64,
}

/// One stream: what is enqueued, in order.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Each with a number that tells when it was enqueued.
    queue: VecDeque<(u64, Work)>,
    done: u64,
    priority: i32,
    /// The capture that it takes part in.
    pub(super) capture: Option<u64>,
    /// An error that was found by a call that does not wait for this stream, kept for one that does.
    failure: Option<Error>,
    /// Whether it was destroyed, and only finishes what was enqueued.
    destroyed: bool,
}

/// All streams of a backend.
#[derive(Debug)]
pub(super) struct StreamSet {
    streams: BTreeMap<u64, Stream>,
    enqueued: u64,
}

impl StreamSet {
    pub(super) fn new() -> Self {
        Self { streams: BTreeMap::from([(DEFAULT, Stream::default())]), enqueued: 0 }
    }

    pub(super) fn create(&mut self, handle: u64, priority: i32) {
        self.streams.insert(handle, Stream { priority, ..Stream::default() });
    }

    /// A stream that was not destroyed.
    pub(super) fn live(&self, handle: u64) -> Option<&Stream> {
        self.streams.get(&handle).filter(|stream| !stream.destroyed)
    }

    pub(super) fn get_mut(&mut self, handle: u64) -> Option<&mut Stream> {
        self.streams.get_mut(&handle)
    }

    pub(super) fn destroy(&mut self, handle: u64) {
        if let Some(stream) = self.streams.get_mut(&handle) {
            stream.destroyed = true;
        }
        self.drop_if_finished(handle);
    }

    fn drop_if_finished(&mut self, handle: u64) {
        if self.streams.get(&handle).is_some_and(|stream| stream.destroyed && stream.queue.is_empty()) {
            self.streams.remove(&handle);
        }
    }

    /// Appends work; the mark of its end.
    pub(super) fn push(&mut self, handle: u64, work: Work) -> Mark {
        self.enqueued += 1;
        if let Some(stream) = self.streams.get_mut(&handle) {
            stream.queue.push_back((self.enqueued, work));
        }
        self.end_of(handle)
    }

    /// The mark of all that is enqueued on a stream.
    pub(super) fn end_of(&self, handle: u64) -> Mark {
        let position = self.streams.get(&handle).map_or(0, |stream| stream.done + stream.queue.len() as u64);
        Mark { stream: handle, position }
    }

    /// Whether a mark is reached. Those of a stream that was destroyed and has finished are.
    pub(super) fn reached(&self, mark: Mark) -> bool {
        self.streams.get(&mark.stream).is_none_or(|stream| stream.done >= mark.position)
    }

    /// What must be done next so that the mark can be reached: on its own stream, or on one that this waits for.
    pub(super) fn next_towards(&self, mark: Mark) -> Option<u64> {
        let mut mark = mark;
        // A wait is for what was enqueued before it, so that following waits comes to an end.
        while !self.reached(mark) {
            match self.streams.get(&mark.stream)?.queue.front() {
                Some((_, Work::Wait(other))) if !self.reached(*other) => mark = *other,
                _ => return Some(mark.stream),
            }
        }
        None
    }

    /// The stream whose next work goes first of all that could: by priority, then by age.
    pub(super) fn next_of_all(&self) -> Option<u64> {
        let ready = self.streams.iter().filter_map(|(handle, stream)| {
            let (age, work) = stream.queue.front()?;
            match work {
                Work::Wait(mark) if !self.reached(*mark) => None,
                _ => Some((work.priority().unwrap_or(stream.priority), *age, *handle)),
            }
        });
        ready.min().map(|(_, _, handle)| handle)
    }

    /// Takes the next work of a stream, which counts as done from now on.
    pub(super) fn pop(&mut self, handle: u64) -> Option<Work> {
        let stream = self.streams.get_mut(&handle)?;
        let (_, work) = stream.queue.pop_front()?;
        stream.done += 1;
        self.drop_if_finished(handle);
        Some(work)
    }

    /// The first error that was kept for whoever waits for `handle`, or for any stream.
    pub(super) fn take_failure(&mut self, handle: Option<u64>) -> Option<Error> {
        if let Some(handle) = handle {
            return self.streams.get_mut(&handle)?.failure.take();
        }
        let taken = self.streams.values_mut().filter_map(|stream| stream.failure.take());
        // All are taken, and the first is returned, as the first of those that are found now is.
        taken.reduce(|first, _| first)
    }

    /// Keeps an error for the next call that waits for the stream; for the default stream where that is gone.
    pub(super) fn keep_failure(&mut self, handle: u64, error: Error) {
        let handle = if self.streams.contains_key(&handle) { handle } else { DEFAULT };
        if let Some(stream) = self.streams.get_mut(&handle) {
            stream.failure.get_or_insert(error);
        }
    }

    /// A stream that is capturing.
    pub(super) fn any_capturing(&self) -> Option<u64> {
        self.streams.iter().find(|(_, stream)| stream.capture.is_some()).map(|(handle, _)| *handle)
    }

    /// Ends the part of every stream in a capture.
    pub(super) fn leave_capture(&mut self, capture: u64) {
        for stream in self.streams.values_mut().filter(|stream| stream.capture == Some(capture)) {
            stream.capture = None;
        }
    }
}
