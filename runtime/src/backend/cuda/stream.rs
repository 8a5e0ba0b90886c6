//! Streams, and waiting for them.

use std::sync::{Arc, RwLockReadGuard};

use cudarc::driver::sys::CUstream;

use super::CudaBackend;
use super::captures::Quiet;
use super::driver::{capture_refusal, code, cu};
use super::handles::{StreamInUse, address, pointer, refuse_reserved};
use super::owned::{Fate, OwnedStream, StreamOwner};
use crate::backend::{StreamHandle, Streams};
use crate::error::{Error, Result};

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the default one.
const NON_BLOCKING: u32 = 1;
/// `CU_STREAM_CAPTURE_STATUS_NONE`.
pub(super) const NOT_CAPTURING: u32 = 0;

/// A stream that does not capture, and does not begin to while this lives.
pub(super) struct Uncaptured<'a> {
    stream: &'a StreamInUse,
    _kept: Option<RwLockReadGuard<'a, Fate>>,
}

impl Uncaptured<'_> {
    /// The driver's stream, live as long as `self` is borrowed.
    pub(super) fn raw(&self) -> CUstream {
        self.stream.raw()
    }
}

impl Streams for CudaBackend {
    fn synchronize(&self) -> Result<()> {
        self.context.bind()?;
        let _quiet = self.quiet_or_refuse("synchronize")?;
        self.synchronize_context()
    }

    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "synchronize_stream";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        let stream = self.uncaptured(OPERATION, &stream)?;
        self.wait_for(&stream).map_err(|error| capture_refusal(OPERATION, error))
    }

    fn create_stream(&self, priority: Option<i32>) -> Result<StreamHandle> {
        let (first, last) = self.features.priorities;
        if let Some(priority) = priority.filter(|priority| !(first..=last).contains(priority)) {
            return Err(Error::InvalidArgument {
                operation: "create_stream",
                what: "the priority".into(),
                found: priority.to_string().into(),
                expected: format!("{first} (first) to {last} (last) on this device").into(),
            });
        }
        self.context.bind()?;
        let mut stream = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and the context is current.
        unsafe {
            cu!(
                self.context.driver,
                cuStreamCreateWithPriority(&raw mut stream, NON_BLOCKING, priority.unwrap_or(0))
            )
        }?;
        let handle = address(stream);
        self.handles
            .streams
            .insert(handle, OwnedStream::new(self.context.driver, stream, StreamOwner::Backend));
        Ok(StreamHandle::new(handle))
    }

    unsafe fn destroy_stream(&self, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "destroy_stream";
        let number = stream.get();
        let found = self.handles.streams.get(number);
        let Some(found) = found.filter(|stream| stream.owner() == StreamOwner::Backend) else {
            return Err(self.unknown(OPERATION, "stream", number));
        };
        self.context.bind()?;
        let was_kept = self.give_up_captures(&found);
        drop(self.quiet());
        if !was_kept {
            return Err(self.unknown(OPERATION, "stream", number));
        }
        drop(found);
        // Where another thread is using it, that thread destroys it afterwards.
        self.handles.streams.remove(number).and_then(Arc::into_inner).map_or(Ok(()), OwnedStream::destroy)
    }

    fn is_stream_idle(&self, stream: StreamHandle) -> Result<bool> {
        const OPERATION: &str = "is_stream_idle";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        let stream = self.uncaptured(OPERATION, &stream)?;
        // SAFETY: the stream is held, and its context current.
        match unsafe { (self.context.driver.cuStreamQuery)(stream.raw()) } {
            code::SUCCESS => Ok(true),
            code::NOT_READY => Ok(false),
            code => Err(capture_refusal(OPERATION, self.context.driver.error("cuStreamQuery", code))),
        }
    }
}

impl CudaBackend {
    /// Lets the safe operations of this backend use a stream that somebody else created and will destroy. Launches
    /// take such a stream without it. What is adopted several times is released as often.
    ///
    /// ```no_run
    /// use warpcall::backend::Streams as _;
    ///
    /// # fn lend(backend: &warpcall::CudaBackend, theirs: u64) -> warpcall::Result<()> {
    /// let stream = warpcall::StreamHandle::new(theirs); // the `CUstream` of another library
    /// // SAFETY: the stream is one of this context, and lives until it is released; nobody captures on it.
    /// unsafe { backend.adopt_stream(stream)? };
    /// backend.synchronize_stream(stream)?;
    /// backend.release_stream(stream);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Where `stream` is one of the numbers that the driver takes for a default stream, legacy (1) or per-thread (2).
    ///
    /// # Safety
    ///
    /// - `stream` is a `CUstream` of this backend's context, and lives until [`release_stream`](Self::release_stream) is
    ///   called or the backend is dropped.
    /// - While a call of this backend is using it, no capture begins on it, and it joins none, other than through this
    ///   backend: what such a call enqueues would become part of the capture, and read memory that is gone by then.
    pub unsafe fn adopt_stream(&self, stream: StreamHandle) -> Result<()> {
        refuse_reserved("adopt_stream", stream)?;
        if stream != StreamHandle::DEFAULT {
            let (driver, raw) = (self.context.driver, pointer(stream.get()));
            self.handles.adopt(stream, || OwnedStream::new(driver, raw, StreamOwner::Lent));
        }
        Ok(())
    }

    /// Forgets a stream that was [adopted](Self::adopt_stream), and waits for the calls of other threads that are using it.
    /// A capture that began on it through this backend and has not ended is abandoned. Does nothing for any other stream.
    pub fn release_stream(&self, stream: StreamHandle) {
        // Where the context cannot be used, neither can the capture.
        let bound = self.context.bind();
        self.handles.release(stream, |stream| {
            self.give_up_captures(stream);
        });
        if bound.is_ok() {
            drop(self.quiet());
        }
    }

    /// Waits for everything in the context. It is current, and nothing captures.
    pub(super) fn synchronize_context(&self) -> Result<()> {
        // SAFETY: the call takes nothing.
        unsafe { cu!(self.context.driver, cuCtxSynchronize()) }
    }

    /// Waits for a stream. The context is current.
    pub(super) fn wait_for(&self, stream: &Uncaptured<'_>) -> Result<()> {
        // SAFETY: the stream is held.
        unsafe { cu!(self.context.driver, cuStreamSynchronize(stream.raw())) }
    }

    /// Waits for each stream of this backend that can be waited for while another backend captures. The context is current.
    pub(super) fn wait_for_all_streams(&self) {
        let created = self.handles.streams.all().into_iter().map(StreamInUse::from);
        for stream in created.chain([StreamInUse::DEFAULT]) {
            if let Ok(stream) = self.uncaptured("drop", &stream) {
                let _ = self.wait_for(&stream);
            }
        }
    }

    /// Keeps the context quiet; refuses where something captures in it. The context is current.
    fn quiet_or_refuse(&self, operation: &'static str) -> Result<Quiet<'_>> {
        self.quiet().map_err(|_| Error::Capture {
            operation,
            problem: "a stream of the device is capturing, for this backend or for another in its context, and waiting for the device would end its capture; end or abandon the capture first, or wait for single streams"
                .into(),
        })
    }

    /// Keeps the stream from capturing, for what must not be captured; refuses where it captures, before the driver
    /// does so and ends the capture as well. Its context is current.
    pub(super) fn uncaptured<'a>(
        &self,
        operation: &'static str,
        stream: &'a StreamInUse,
    ) -> Result<Uncaptured<'a>> {
        self.refuse_unusable(operation, stream)?;
        let kept = stream.created().map(OwnedStream::keep_from_capturing);
        if let Some(created) = stream.created() {
            self.refuse_if_capturing(operation, created)?;
        }
        Ok(Uncaptured { stream, _kept: kept })
    }

    /// Refuses the default stream while a stream that waits for it captures, as a lent one may, before the driver does so and
    /// ends the capture as well. Asking does not (driver API, `cuStreamIsCapturing`). The context is current.
    pub(super) fn refuse_unusable(&self, operation: &'static str, stream: &StreamInUse) -> Result<()> {
        if stream.created().is_some() || !self.captures.any() {
            return Ok(());
        }
        match self.capture_status(operation, std::ptr::null_mut()) {
            Err(Error::Capture { .. }) => Err(Error::Capture {
                operation,
                problem: "a stream that waits for the default one is capturing, which forbids any use of the default one; use another stream, or end or abandon the capture first"
                    .into(),
            }),
            other => other.map(drop),
        }
    }

    /// Refuses what a capturing stream cannot do. Its context is current.
    pub(super) fn refuse_if_capturing(&self, operation: &'static str, stream: &OwnedStream) -> Result<()> {
        if self.capture_status(operation, stream.raw())? == NOT_CAPTURING {
            return Ok(());
        }
        Err(Error::Capture {
            operation,
            problem: "the stream is capturing; do this before the capture begins or after it ends".into(),
        })
    }

    /// Calls `join`, which makes a stream wait for an event: where that was recorded in a capture, the stream joins it. What
    /// must not be captured is over by then. The context is current.
    pub(super) fn joining(&self, stream: &StreamInUse, join: impl FnOnce() -> Result<()>) -> Result<()> {
        let Some(stream) = stream.created() else { return join() };
        if let Ok(_quiet) = self.captures.quiet(|_| true) {
            return join();
        }
        let _capture = stream.capture();
        join()
    }

    /// The `CUstreamCaptureStatus` of a stream that is held. The context is current.
    pub(super) fn capture_status(&self, operation: &'static str, stream: CUstream) -> Result<u32> {
        let mut status = NOT_CAPTURING;
        // SAFETY: the number outlives the call, and the stream is held.
        unsafe { cu!(self.context.driver, cuStreamIsCapturing(stream, &raw mut status)) }
            .map_err(|error| capture_refusal(operation, error))?;
        Ok(status)
    }
}
