use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failed_drop::{Release, release_dropped};
use super::{AsStream, Event, Gpu, Graph, StreamRef};
use crate::backend::StreamHandle;
use crate::error::Result;

/// A stream, owned: what is enqueued on it happens in that order.
///
/// Dropping it destroys it without waiting; what is enqueued still runs. A capture that is going on is
/// abandoned. Should that fail, the [`Gpu`] notes it; [`destroy`](Self::destroy) returns the error instead.
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::host()?;
/// let (upload, compute) = (gpu.create_stream()?, gpu.create_stream()?);
/// let mut input = gpu.zeros::<u8>(4)?;
/// input.copy_from_host(&upload, &[1, 2, 3, 4])?;
/// compute.wait_for(&upload)?;
/// assert_eq!(input.to_vec(&compute)?, [1, 2, 3, 4]);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct Stream {
    gpu: Gpu,
    handle: StreamHandle,
    /// Whether the stream was created and is still to be destroyed.
    created: bool,
    /// Whether a capture began here and did not end.
    capturing: AtomicBool,
}

impl Stream {
    pub(super) fn created(gpu: Gpu, handle: StreamHandle) -> Self {
        Self { gpu, handle, created: true, capturing: AtomicBool::new(false) }
    }

    pub(super) fn default_of(gpu: Gpu) -> Self {
        Self { gpu, handle: StreamHandle::DEFAULT, created: false, capturing: AtomicBool::new(false) }
    }

    /// The stream's handle on its backend.
    #[inline]
    pub fn handle(&self) -> StreamHandle {
        self.handle
    }

    /// The device that executes it.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Waits until everything enqueued here is done.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing; or where the stream is capturing.
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        self.gpu.synchronize_stream(self.handle)
    }

    /// Whether everything enqueued here is done. Does not wait.
    ///
    /// # Errors
    ///
    /// As for [`synchronize`](Self::synchronize).
    #[track_caller]
    pub fn is_idle(&self) -> Result<bool> {
        self.gpu.is_stream_idle(self.handle)
    }

    /// Marks with `event` where the stream stands now. A later mark replaces it.
    ///
    /// # Errors
    ///
    /// Where the event is another backend's, or the backend refuses.
    #[track_caller]
    pub fn record(&self, event: &Event) -> Result<()> {
        let stream = event.gpu().own_stream("record an event", self.as_stream())?;
        self.gpu.record_event(event.handle(), stream)
    }

    /// Makes what is enqueued here from now on wait for the latest mark of `event`. An event that was never
    /// recorded is not waited for.
    ///
    /// # Errors
    ///
    /// Where the event is another backend's, or the backend refuses.
    #[track_caller]
    pub fn wait(&self, event: &Event) -> Result<()> {
        let stream = event.gpu().own_stream("wait for an event", self.as_stream())?;
        self.gpu.stream_wait_event(stream, event.handle())
    }

    /// Makes what is enqueued here from now on wait for all that is enqueued on `other`.
    ///
    /// # Errors
    ///
    /// Where `other` is another backend's stream, or the backend refuses.
    #[track_caller]
    pub fn wait_for(&self, other: &(impl AsStream + ?Sized)) -> Result<()> {
        let other = self.gpu.own_stream("wait for a stream", other.as_stream())?;
        self.gpu.stream_wait_stream(self.handle, other)
    }

    /// From now on, records what is enqueued here instead of executing it. [`capture`](Self::capture) does this and
    /// what must follow.
    ///
    /// # Errors
    ///
    /// Where the stream is capturing already, or the backend has no graphs.
    #[track_caller]
    pub fn begin_capture(&self) -> Result<()> {
        self.gpu.begin_capture(self.handle)?;
        self.capturing.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Ends the recording and makes a graph of it.
    ///
    /// # Errors
    ///
    /// Where the stream is not capturing, or something forbidden was enqueued in between. The stream is usable
    /// again in each case. A capture that began on another stream, which this one joined, goes on.
    #[track_caller]
    pub fn end_capture(&self) -> Result<Graph> {
        let ended = self.gpu.end_capture(self.handle);
        self.capturing.store(false, Ordering::Relaxed);
        Ok(Graph::created(self.gpu.clone(), ended?))
    }

    /// Drops the recording, if there is one. The stream is usable again.
    ///
    /// # Errors
    ///
    /// Where the backend refuses.
    #[track_caller]
    pub fn abandon_capture(&self) -> Result<()> {
        self.gpu.abandon_capture(self.handle)?;
        self.capturing.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the stream is capturing.
    ///
    /// # Errors
    ///
    /// Where the backend refuses or has no graphs.
    #[track_caller]
    pub fn is_capturing(&self) -> Result<bool> {
        self.gpu.is_capturing(self.handle)
    }

    /// The graph of all that `enqueue` enqueues here. Nothing of it executes yet.
    ///
    /// An error or a panic in `enqueue` abandons the recording, and the stream is usable again.
    ///
    /// ```
    /// use warpcall::Gpu;
    ///
    /// let gpu = Gpu::host()?;
    /// let stream = gpu.create_stream()?;
    /// let source = gpu.upload(&[1_u32, 2])?;
    /// let mut copy = gpu.zeros::<u32>(2)?;
    ///
    /// let graph = stream.capture(|stream| copy.copy_from_device(stream, &source))?;
    /// assert_eq!(copy.to_vec(&stream)?, [0, 0]);
    /// // SAFETY: both buffers are still there.
    /// unsafe { graph.launch(&stream)? };
    /// assert_eq!(copy.to_vec(&stream)?, [1, 2]);
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error of `enqueue`; and those of [`begin_capture`](Self::begin_capture) and
    /// [`end_capture`](Self::end_capture).
    #[track_caller]
    pub fn capture(&self, enqueue: impl FnOnce(&Self) -> Result<()>) -> Result<Graph> {
        self.begin_capture()?;
        // For a panic. What returns an error is abandoned here, where the caller is known.
        let mut capture = Capture(self);
        let enqueued = enqueue(self);
        let abandoned = if enqueued.is_err() { capture.release() } else { Ok(()) };
        std::mem::forget(capture);
        if let Err(error) = abandoned {
            self.gpu.note_failed_drop(Capture::WHAT, self.handle.get(), error);
        }
        enqueued?;
        self.end_capture()
    }

    /// Destroys the stream and says whether that succeeded. What is enqueued still runs. The default stream is
    /// left as it is.
    ///
    /// # Errors
    ///
    /// Where the backend cannot destroy it. It is given up all the same.
    #[track_caller]
    pub fn destroy(mut self) -> Result<()> {
        let abandoned = if *self.capturing.get_mut() { self.abandon_capture() } else { Ok(()) };
        // Whatever came of it, `drop` does not try again.
        *self.capturing.get_mut() = false;
        abandoned.and(self.release())
    }
}

/// A capture that is abandoned when it is dropped.
struct Capture<'a>(&'a Stream);

impl Release for Capture<'_> {
    const WHAT: &'static str = "capture";

    fn gpu(&self) -> &Gpu {
        &self.0.gpu
    }

    fn number(&self) -> u64 {
        self.0.handle.get()
    }

    fn release(&mut self) -> Result<()> {
        self.0.abandon_capture()
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        release_dropped(self);
    }
}

impl Release for Stream {
    const WHAT: &'static str = "stream";

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn number(&self) -> u64 {
        self.handle.get()
    }

    fn release(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.created, false) {
            return Ok(());
        }
        // SAFETY: the stream was created for this value, which `destroy` and `drop`, the only callers, end.
        unsafe { self.gpu.destroy_stream(self.handle) }
    }
}

impl AsStream for Stream {
    #[inline]
    fn as_stream(&self) -> StreamRef<'_> {
        self.gpu.stream_ref(self.handle)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if *self.capturing.get_mut() {
            drop(Capture(self));
        }
        release_dropped(self);
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({}, {})", self.handle, self.gpu.label())
    }
}
