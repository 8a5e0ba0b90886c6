//! Events.

use std::time::Duration;

use cudarc::driver::sys::CUevent;

use super::CudaBackend;
use super::driver::{capture_refusal, code, cu};
use super::handles::{EventState, address};
use crate::backend::{EventHandle, Events, StreamHandle};
use crate::error::{Error, Result};

/// `CU_EVENT_DEFAULT` and `CU_EVENT_DISABLE_TIMING`.
const WITH_TIMING: u32 = 0;
const WITHOUT_TIMING: u32 = 2;

impl Events for CudaBackend {
    fn create_event(&self, timing: bool) -> Result<EventHandle> {
        self.context.bind()?;
        let event = address(self.new_raw_event(timing)?);
        self.handles.events.insert(event, EventState { timing, recorded: false });
        EventHandle::new(event).ok_or_else(|| self.unknown("create_event", "event", event))
    }

    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        let (raw, _) = self.event("destroy_event", event)?;
        self.context.bind()?;
        self.handles.events.remove(event.get());
        // SAFETY: the event is live, and the caller does not use it again.
        unsafe { cu!(self.context.driver, cuEventDestroy(raw)) }
    }

    fn record_event(&self, event: EventHandle, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "record_event";
        let (raw, state) = self.event(OPERATION, event)?;
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        // SAFETY: event and stream are live, and their context is current.
        unsafe { cu!(self.context.driver, cuEventRecord(raw, stream)) }
            .map_err(|error| capture_refusal(OPERATION, error))?;
        if !state.recorded {
            self.handles.events.update(event.get(), |state| state.recorded = true);
        }
        Ok(())
    }

    fn stream_wait_event(&self, stream: StreamHandle, event: EventHandle) -> Result<()> {
        const OPERATION: &str = "stream_wait_event";
        let stream = self.stream(OPERATION, stream)?;
        let (raw, _) = self.event(OPERATION, event)?;
        self.context.bind()?;
        // SAFETY: event and stream are live, and their context is current.
        unsafe { cu!(self.context.driver, cuStreamWaitEvent(stream, raw, 0)) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        const OPERATION: &str = "synchronize_event";
        let (raw, _) = self.event(OPERATION, event)?;
        self.context.bind()?;
        // SAFETY: the event is live, and its context is current.
        unsafe { cu!(self.context.driver, cuEventSynchronize(raw)) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn is_event_done(&self, event: EventHandle) -> Result<bool> {
        const OPERATION: &str = "is_event_done";
        let (raw, _) = self.event(OPERATION, event)?;
        self.context.bind()?;
        // SAFETY: the event is live, and its context is current.
        match unsafe { (self.context.driver.cuEventQuery)(raw) } {
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
        let mut raw = [std::ptr::null_mut(); 2];
        for (raw, (event, which)) in raw.iter_mut().zip([(start, "start"), (end, "end")]) {
            let (found, state) = self.event(OPERATION, event)?;
            if !state.timing {
                return Err(refuse(which, "one without timing", "an event that was created with timing"));
            }
            if !state.recorded {
                return Err(refuse(which, "one that was never recorded", "an event that was recorded"));
            }
            *raw = found;
        }
        self.context.bind()?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: the number outlives the call, the events are live, and their context is current.
        match unsafe { (self.context.driver.cuEventElapsedTime)(&raw mut milliseconds, raw[0], raw[1]) } {
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
            code => Err(capture_refusal(OPERATION, self.context.driver.error("cuEventElapsedTime", code))),
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
