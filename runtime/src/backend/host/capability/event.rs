use std::time::{Duration, Instant};

use super::capture_error;
use crate::backend::host::HostBackend;
use crate::backend::host::state::{Event, Recorded, State};
use crate::backend::host::stream::{DEFAULT, Mark};
use crate::backend::host::work::Work;
use crate::backend::{EventHandle, Events, StreamHandle};
use crate::error::{Error, Result};

impl Events for HostBackend {
    fn create_event(&self, timing: bool) -> Result<EventHandle> {
        let mut state = self.gate.enter("create_event")?;
        let handle = state.handle();
        state.events.insert(handle, Event { timing, recorded: None });
        Ok(EventHandle::new(handle).expect("a backend's first handle is not zero"))
    }

    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        const NAME: &str = "destroy_event";
        let mut state = self.gate.enter(NAME)?;
        state.event(NAME, event)?;
        state.events.remove(&event.get());
        Ok(())
    }

    fn record_event(&self, event: EventHandle, stream: StreamHandle) -> Result<()> {
        const NAME: &str = "record_event";
        let mut state = self.gate.enter(NAME)?;
        state.event(NAME, event)?;
        let number = state.stream(NAME, stream)?;
        if let Some(capture) = state.capture_of(NAME, number)? {
            let point = capture.point(number);
            let capture = state.streams.live(number).and_then(|stream| stream.capture);
            let recorded = capture.map(|capture| Recorded::Captured { capture, point });
            state.event(NAME, event)?.recorded = recorded;
            return Ok(());
        }
        let end = state.streams.end_of(number);
        let mark = Mark { position: end.position + 1, ..end };
        state.event(NAME, event)?.recorded = Some(Recorded::Stream { mark, at: None });
        state.enqueue(NAME, stream, Work::Record { event: event.get(), mark })
    }

    fn stream_wait_event(&self, stream: StreamHandle, event: EventHandle) -> Result<()> {
        const NAME: &str = "stream_wait_event";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        let (capture, point) = match &state.event(NAME, event)?.recorded {
            None => return Ok(()),
            Some(Recorded::Stream { mark, .. }) => {
                let mark = *mark;
                state.capture_of(NAME, number)?;
                state.forbid_capturing(
                    NAME,
                    number,
                    "the event was recorded outside of the capture, and a graph cannot wait for that",
                )?;
                return state.enqueue(NAME, stream, Work::Wait(mark));
            }
            Some(Recorded::Captured { capture, point }) => (*capture, point.clone()),
        };
        join(&mut state, number, capture, &point)
    }

    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        const NAME: &str = "synchronize_event";
        let mut state = self.gate.enter(NAME)?;
        match waitable(&mut state, NAME, event)? {
            Some(mark) => state.run_to(mark),
            None => Ok(()),
        }
    }

    fn is_event_done(&self, event: EventHandle) -> Result<bool> {
        const NAME: &str = "is_event_done";
        let mut state = self.gate.enter(NAME)?;
        match waitable(&mut state, NAME, event)? {
            Some(mark) => state.poll(mark),
            None => Ok(true),
        }
    }

    fn elapsed(&self, start: EventHandle, end: EventHandle) -> Result<Duration> {
        const NAME: &str = "elapsed";
        let mut state = self.gate.enter(NAME)?;
        let start = time(state.event(NAME, start)?, "the first event")?;
        let end = time(state.event(NAME, end)?, "the second event")?;
        Ok(end.saturating_duration_since(start))
    }
}

/// Makes a stream go on after a point of a capture, in which it takes part from now on.
fn join(
    state: &mut State,
    stream: u64,
    number: u64,
    point: &std::collections::BTreeMap<u64, u64>,
) -> Result<()> {
    const NAME: &str = "stream_wait_event";
    let Some(capture) = state.captures.get(&number) else {
        return Err(capture_error(
            NAME,
            "the event was recorded in a capture that is over; record it again outside of one",
        ));
    };
    if let Some(reason) = &capture.invalid {
        return Err(capture_error(
            NAME,
            format!("the capture of the event is invalid because {reason}; end or abandon it first"),
        ));
    }
    let own = state.streams.live(stream).and_then(|stream| stream.capture);
    if let Some(own) = own.filter(|own| *own != number) {
        state.invalidate(own, "it was made to wait for another capture");
        state.invalidate(number, "another capture was made to wait for it");
        return Err(capture_error(
            NAME,
            "the stream takes part in another capture than the event; two captures cannot become one, and both are now invalid",
        ));
    }
    if stream == DEFAULT {
        state.invalidate(number, "the default stream was made to wait for it");
        return Err(capture_error(
            NAME,
            "the default stream cannot take part in a capture, which is now invalid; use a stream that was created",
        ));
    }
    if let Some(capture) = state.captures.get_mut(&number) {
        capture.join(stream, point);
    }
    if let Some(stream) = state.streams.get_mut(stream) {
        stream.capture = Some(number);
    }
    Ok(())
}

/// The mark that the host can wait for; `None` where the event was never recorded.
fn waitable(state: &mut State, operation: &'static str, event: EventHandle) -> Result<Option<Mark>> {
    let capture = match &state.event(operation, event)?.recorded {
        None => return Ok(None),
        Some(Recorded::Stream { mark, .. }) => return Ok(Some(*mark)),
        Some(Recorded::Captured { capture, .. }) => *capture,
    };
    state.invalidate(capture, &format!("`{operation}` was called on an event recorded in it"));
    Err(capture_error(
        operation,
        "the event was recorded on a capturing stream, so that nothing ever reaches it; record it after the launch of the graph",
    ))
}

/// When an event was reached.
fn time(event: &Event, what: &str) -> Result<Instant> {
    let (found, expected) = match (event.timing, &event.recorded) {
        (false, _) => {
            ("one without timing", "an event that was created with timing, as by `Gpu::create_timing_event`")
        }
        (true, None) => ("one that was never recorded", "an event that was recorded"),
        (true, Some(Recorded::Captured { .. })) => {
            ("one that was recorded on a capturing stream", "an event that was recorded outside of a capture")
        }
        (true, Some(Recorded::Stream { at: None, .. })) => {
            ("one that is not reached yet", "an event that is reached; synchronise with it first")
        }
        (true, Some(Recorded::Stream { at: Some(at), .. })) => return Ok(*at),
    };
    Err(Error::InvalidArgument {
        operation: "elapsed",
        what: what.into(),
        found: found.into(),
        expected: expected.into(),
    })
}
