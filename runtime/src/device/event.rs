use std::fmt;
use std::time::Duration;

use super::Gpu;
use super::failed_drop::{Release, release_dropped};
use crate::backend::EventHandle;
use crate::error::{Error, Result};

/// A mark on a stream, owned: others wait for it, and two of them take the time.
///
/// [`Stream::record`](crate::Stream::record) sets it and [`Stream::wait`](crate::Stream::wait) waits for it on a stream.
/// Dropping destroys it; should that fail, the [`Gpu`] notes it, and [`destroy`](Self::destroy) returns the error instead.
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let (start, end) = (gpu.create_timing_event()?, gpu.create_timing_event()?);
/// stream.record(&start)?;
/// let ones = gpu.upload(&[1_u8; 1 << 16])?;
/// stream.record(&end)?;
/// end.synchronize()?;
/// assert!(end.is_done()?);
/// println!("{:?}", end.elapsed_since(&start)?);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct Event {
    gpu: Gpu,
    handle: EventHandle,
    live: bool,
}

impl Event {
    pub(super) fn created(gpu: Gpu, handle: EventHandle) -> Self {
        Self { gpu, handle, live: true }
    }

    /// The event's handle on its backend.
    pub fn handle(&self) -> EventHandle {
        self.handle
    }

    /// The device that it marks streams of.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Waits until the latest mark is reached. Returns at once where there is none.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing.
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        self.gpu.synchronize_event(self.handle)
    }

    /// Whether the latest mark is reached. Does not wait.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing.
    #[track_caller]
    pub fn is_done(&self) -> Result<bool> {
        self.gpu.is_event_done(self.handle)
    }

    /// The time from the mark of `earlier` to this one's, both reached.
    ///
    /// # Errors
    ///
    /// Where the events are of two backends, were created without timing, were not recorded, or are not reached yet.
    #[track_caller]
    pub fn elapsed_since(&self, earlier: &Self) -> Result<Duration> {
        if earlier.gpu.id() != self.gpu.id() {
            return Err(Error::InvalidArgument {
                operation: "take the time between events",
                what: "the earlier event".into(),
                found: format!("one of {}", earlier.gpu.label()).into(),
                expected: format!("one of {}, as the later one is", self.gpu.label()).into(),
            });
        }
        self.gpu.elapsed(earlier.handle, self.handle)
    }

    /// Destroys the event and says whether that succeeded.
    ///
    /// # Errors
    ///
    /// Where the backend cannot destroy it. It is given up all the same.
    #[track_caller]
    pub fn destroy(mut self) -> Result<()> {
        self.release()
    }
}

impl Release for Event {
    const WHAT: &'static str = "event";

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn number(&self) -> u64 {
        self.handle.get()
    }

    fn release(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.live, false) {
            return Ok(());
        }
        // SAFETY: the event was created for this value, which `destroy` and `drop`, the only callers, end.
        unsafe { self.gpu.destroy_event(self.handle) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        release_dropped(self);
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({}, {})", self.handle, self.gpu.label())
    }
}
