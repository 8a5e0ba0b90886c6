//! Events.

use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::CUevent;

use super::CudaBackend;
use super::driver::{capture_refusal, code, cu};
use super::owned::OwnedEvent;
use crate::backend::{EventHandle, Events, StreamHandle};
use crate::error::{Error, Result};

/// `CU_EVENT_DEFAULT` and `CU_EVENT_DISABLE_TIMING`.
const WITH_TIMING: u32 = 0;
const WITHOUT_TIMING: u32 = 2;

impl Events for CudaBackend {
    fn create_event(&self, timing: bool) -> Result<EventHandle> {
        self.context.bind()?;
        let event = OwnedEvent::new(self.context.driver, self.new_raw_event(timing)?, timing);
        let number = self.handles.next();
        self.handles.events.insert(number, event);
        EventHandle::new(number).ok_or_else(|| self.unknown("create_event", "event", number))
    }

    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        let taken = self.handles.events.remove(event.get());
        let taken = taken.ok_or_else(|| self.unknown("destroy_event", "event", event.get()))?;
        self.context.bind()?;
        // Where another thread is using it, that thread destroys it afterwards.
        Arc::into_inner(taken).map_or(Ok(()), OwnedEvent::destroy)
    }

    fn record_event(&self, event: EventHandle, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "record_event";
        let event = self.event(OPERATION, event)?;
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        self.refuse_unusable(OPERATION, &stream)?;
        // SAFETY: event and stream are held, and their context is current.
        unsafe { cu!(self.context.driver, cuEventRecord(event.raw(), stream.raw())) }
            .map_err(|error| capture_refusal(OPERATION, error))?;
        event.note_recorded();
        Ok(())
    }

    fn stream_wait_event(&self, stream: StreamHandle, event: EventHandle) -> Result<()> {
        const OPERATION: &str = "stream_wait_event";
        let stream = self.stream(OPERATION, stream)?;
        let event = self.event(OPERATION, event)?;
        self.context.bind()?;
        self.refuse_unusable(OPERATION, &stream)?;
        // SAFETY: event and stream are held, and their context is current.
        let wait = || unsafe { cu!(self.context.driver, cuStreamWaitEvent(stream.raw(), event.raw(), 0)) };
        self.joining(&stream, wait).map_err(|error| capture_refusal(OPERATION, error))
    }

    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        const OPERATION: &str = "synchronize_event";
        let event = self.event(OPERATION, event)?;
        self.context.bind()?;
        // SAFETY: the event is held, and its context is current.
        unsafe { cu!(self.context.driver, cuEventSynchronize(event.raw())) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn is_event_done(&self, event: EventHandle) -> Result<bool> {
        const OPERATION: &str = "is_event_done";
        let event = self.event(OPERATION, event)?;
        self.context.bind()?;
        // SAFETY: the event is held, and its context is current.
        match unsafe { (self.context.driver.cuEventQuery)(event.raw()) } {
            code::SUCCESS => Ok(true),
            code::NOT_READY => Ok(false),
            code => Err(capture_refusal(OPERATION, self.context.driver.error("cuEventQuery", code))),
        }
    }

    fn elapsed(&self, start: EventHandle, end: EventHandle) -> Result<Duration> {
        const OPERATION: &str = "elapsed";
        let refuse = |which: &str, found: &str, expected: &str| Error::InvalidArgument {
            operation: OPERATION,
            what: format!("the event at the {which}").into(),
            found: found.into(),
            expected: expected.into(),
        };
        let (start, end) = (self.event(OPERATION, start)?, self.event(OPERATION, end)?);
        for (event, which) in [(&start, "start"), (&end, "end")] {
            if !event.has_timing() {
                return Err(refuse(
                    which,
                    "one without timing",
                    "an event that was created with timing, as by `Gpu::create_timing_event`",
                ));
            }
            if !event.was_recorded() {
                return Err(refuse(which, "one that was never recorded", "an event that was recorded"));
            }
        }
        self.context.bind()?;
        let mut milliseconds = 0.0_f32;
        let driver = self.context.driver;
        // SAFETY: the number outlives the call, the events are held, and their context is current.
        match unsafe { (driver.cuEventElapsedTime)(&raw mut milliseconds, start.raw(), end.raw()) } {
            code::SUCCESS => {
                // The time may come out below zero where the end was recorded first.
                Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
            }
            code::NOT_READY => Err(Error::InvalidArgument {
                operation: OPERATION,
                what: "one of the events".into(),
                found: "one that is not reached yet".into(),
                expected: "events that are reached; synchronise with the later one first".into(),
            }),
            code => Err(capture_refusal(OPERATION, driver.error("cuEventElapsedTime", code))),
        }
    }
}

impl CudaBackend {
    /// An event that no table knows. The context is current.
    pub(super) fn new_raw_event(&self, timing: bool) -> Result<CUevent> {
        let mut event = std::ptr::null_mut();
        let flags = if timing { WITH_TIMING } else { WITHOUT_TIMING };
        // SAFETY: the handle outlives the call, and the context is current.
        unsafe { cu!(self.context.driver, cuEventCreate(&raw mut event, flags)) }?;
        Ok(event)
    }
}
