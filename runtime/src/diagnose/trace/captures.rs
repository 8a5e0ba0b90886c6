//! The captures that are going on, and who takes part in them.

use super::entry::Entry;
use crate::backend::{BackendId, EventHandle, StreamHandle};

#[derive(Debug)]
pub(super) struct Capture {
    /// The number of the graph that is to come.
    pub(super) graph: u64,
    backend: BackendId,
    streams: Vec<StreamHandle>,
    /// The events that were recorded in it last.
    events: Vec<EventHandle>,
    /// What was recorded so far.
    pub(super) entries: Vec<Entry>,
    /// How many calls there was no room for.
    pub(super) dropped: u64,
}

#[derive(Debug, Default)]
pub(super) struct Captures(Vec<Capture>);

impl Captures {
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn any_of(&self, backend: BackendId) -> bool {
        self.0.iter().any(|capture| capture.backend == backend)
    }

    pub(super) fn begin(&mut self, graph: u64, backend: BackendId, stream: StreamHandle) {
        self.0.push(Capture {
            graph,
            backend,
            streams: vec![stream],
            events: Vec::new(),
            entries: Vec::new(),
            dropped: 0,
        });
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Capture> {
        self.0.iter()
    }

    /// Takes out the capture that began on a stream.
    pub(super) fn end(&mut self, backend: BackendId, origin: StreamHandle) -> Option<Capture> {
        let is_its =
            |capture: &Capture| capture.backend == backend && capture.streams.first() == Some(&origin);
        self.0.iter().position(is_its).map(|index| self.0.swap_remove(index))
    }

    /// The stream on which the capture began that a stream takes part in.
    pub(super) fn origin(&self, backend: BackendId, stream: StreamHandle) -> Option<StreamHandle> {
        let takes_part = |capture: &&Capture| capture.backend == backend && capture.streams.contains(&stream);
        self.0.iter().find(takes_part)?.streams.first().copied()
    }

    /// A stream that joined a capture is gone.
    pub(super) fn leave(&mut self, backend: BackendId, stream: StreamHandle) {
        if let Some(capture) = self.of(backend, stream) {
            capture.streams.retain(|known| *known != stream);
        }
    }

    /// The capture that a stream takes part in.
    pub(super) fn of(&mut self, backend: BackendId, stream: StreamHandle) -> Option<&mut Capture> {
        self.0.iter_mut().find(|capture| capture.backend == backend && capture.streams.contains(&stream))
    }

    /// `stream` waits for all of `other`.
    pub(super) fn wait_stream(&mut self, backend: BackendId, stream: StreamHandle, other: StreamHandle) {
        if let Some(capture) = self.of(backend, other) {
            capture.join(stream);
        }
    }

    pub(super) fn record(&mut self, backend: BackendId, event: EventHandle, stream: StreamHandle) {
        // Its latest mark is the only one.
        for capture in &mut self.0 {
            capture.events.retain(|known| (capture.backend, *known) != (backend, event));
        }
        if let Some(capture) = self.of(backend, stream) {
            capture.events.push(event);
        }
    }

    pub(super) fn wait_event(&mut self, backend: BackendId, stream: StreamHandle, event: EventHandle) {
        let has_it = |capture: &&mut Capture| capture.backend == backend && capture.events.contains(&event);
        if let Some(capture) = self.0.iter_mut().find(has_it) {
            capture.join(stream);
        }
    }

    /// The number of the first call that is recorded in one of them.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.0.iter().filter_map(|capture| capture.entries.first()).map(|entry| entry.number).min()
    }
}

impl Capture {
    /// The number of the graph, what was recorded for it, and how many calls there was no room for.
    pub(super) fn so_far(&self) -> (u64, Vec<Entry>, u64) {
        (self.graph, self.entries.clone(), self.dropped)
    }

    fn join(&mut self, stream: StreamHandle) {
        if !self.streams.contains(&stream) {
            self.streams.push(stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_join_through_events_and_other_streams_until_the_first_one_ends_it() {
        let (backend, [origin, second, third, outside]) =
            (BackendId::next(), [1, 2, 3, 4].map(StreamHandle::new));
        let event = EventHandle::new(9).expect("it is not zero");
        let mut captures = Captures::default();
        captures.begin(1, backend, origin);
        captures.record(backend, event, outside);
        captures.wait_event(backend, second, event);
        assert!(captures.of(backend, second).is_none(), "the event is none of the capture");
        captures.record(backend, event, origin);
        captures.wait_event(backend, second, event);
        captures.wait_stream(backend, third, second);
        let mut taking_part =
            |stream, backend| captures.of(backend, stream).map(|capture: &mut Capture| capture.graph);
        assert_eq!(
            [origin, second, third, outside].map(|stream| taking_part(stream, backend)),
            [Some(1), Some(1), Some(1), None]
        );
        assert_eq!(taking_part(origin, BackendId::next()), None);
        captures.record(backend, event, outside);
        captures.wait_event(backend, StreamHandle::new(5), event);
        assert!(
            captures.of(backend, StreamHandle::new(5)).is_none(),
            "its latest mark is none of the capture"
        );
        assert!(captures.end(backend, second).is_none(), "a stream that joined does not end it");
        assert!(captures.end(backend, origin).is_some());
        assert!(captures.are_none());
    }
}
