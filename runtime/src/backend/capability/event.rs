use std::time::Duration;

use super::DeviceInfo;
use crate::backend::{EventHandle, StreamHandle};
use crate::error::Result;

/// Events: marks on a stream that others can wait for and time can be taken between.
pub trait Events: DeviceInfo {
    /// Creates an event. One with `timing` can be given to [`elapsed`](Self::elapsed).
    ///
    /// # Errors
    ///
    /// Where the driver refuses, or the backend has no events.
    #[track_caller]
    fn create_event(&self, timing: bool) -> Result<EventHandle> {
        let _ = timing;
        Err(self.unsupported("events"))
    }

    /// Destroys an event.
    ///
    /// # Errors
    ///
    /// Where `event` is no live event of this backend.
    ///
    /// # Safety
    ///
    /// The handle is not used after this call, also not by an [`Event`](crate::Event) that owns it.
    #[track_caller]
    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        let _ = event;
        Err(self.unsupported("events"))
    }

    /// Marks where `stream` stands now. Done when all enqueued before it is done. A later mark replaces it.
    ///
    /// # Errors
    ///
    /// Where the driver refuses.
    #[track_caller]
    fn record_event(&self, event: EventHandle, stream: StreamHandle) -> Result<()> {
        let _ = (event, stream);
        Err(self.unsupported("events"))
    }

    /// Makes what is enqueued on `stream` from now on wait for the event's latest mark. An event that was never
    /// recorded is waited for not at all, as in CUDA.
    ///
    /// # Errors
    ///
    /// Where the driver refuses.
    #[track_caller]
    fn stream_wait_event(&self, stream: StreamHandle, event: EventHandle) -> Result<()> {
        let _ = (stream, event);
        Err(self.unsupported("events"))
    }

    /// Waits on the host until the event's latest mark is reached.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing.
    #[track_caller]
    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        let _ = event;
        Err(self.unsupported("events"))
    }

    /// Whether the event's latest mark is reached. Does not wait.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing.
    #[track_caller]
    fn is_event_done(&self, event: EventHandle) -> Result<bool> {
        let _ = event;
        Err(self.unsupported("events"))
    }

    /// The time between two marks that were reached.
    ///
    /// # Errors
    ///
    /// Where an event was created without timing, was not recorded, or is not reached yet.
    #[track_caller]
    fn elapsed(&self, start: EventHandle, end: EventHandle) -> Result<Duration> {
        let _ = (start, end);
        Err(self.unsupported("events"))
    }

    /// Makes what is enqueued on `waiting` from now on wait for all that is enqueued on `other`.
    ///
    /// # Errors
    ///
    /// Where the driver refuses, or the backend has no events.
    #[track_caller]
    fn stream_wait_stream(&self, waiting: StreamHandle, other: StreamHandle) -> Result<()> {
        let event = self.create_event(false)?;
        let ordered = self.record_event(event, other).and_then(|()| self.stream_wait_event(waiting, event));
        // SAFETY: the event was made here and is not used again; a wait that is enqueued keeps what it needs.
        let destroyed = unsafe { self.destroy_event(event) };
        ordered.and(destroyed)
    }
}
