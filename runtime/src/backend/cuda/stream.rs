//! Streams, and waiting for them.

use std::sync::Arc;

use super::CudaBackend;
use super::driver::{capture_refusal, code, cu};
use super::handles::{StreamInUse, address, pointer};
use super::owned::{OwnedStream, StreamOwner};
use crate::backend::{StreamHandle, Streams};
use crate::error::{Error, Result};

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the default one.
const NON_BLOCKING: u32 = 1;
/// `CU_STREAM_CAPTURE_STATUS_NONE`.
const NOT_CAPTURING: u32 = 0;

impl Streams for CudaBackend {
    fn synchronize(&self) -> Result<()> {
        self.refuse_while_capturing("synchronize")?;
        self.context.bind()?;
        self.synchronize_context()
    }

    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "synchronize_stream";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        self.refuse_if_capturing(OPERATION, &stream)?;
        // SAFETY: the stream is held, and its context current.
        unsafe { cu!(self.context.driver, cuStreamSynchronize(stream.raw())) }
            .map_err(|error| capture_refusal(OPERATION, error))
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
        if !self.give_up_captures(&found) {
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
        self.refuse_if_capturing(OPERATION, &stream)?;
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
    /// # Safety
    ///
    /// `stream` is a `CUstream` of this backend's context, and lives until [`release_stream`](Self::release_stream) is
    /// called or the backend is dropped.
    pub unsafe fn adopt_stream(&self, stream: StreamHandle) {
        if stream != StreamHandle::DEFAULT {
            let (driver, raw) = (self.context.driver, pointer(stream.get()));
            self.handles.adopt(stream, || OwnedStream::new(driver, raw, StreamOwner::Lent));
        }
    }

    /// Forgets a stream that was [adopted](Self::adopt_stream), and waits for the calls of other threads that are using it.
    /// Does nothing for any other.
    pub fn release_stream(&self, stream: StreamHandle) {
        self.handles.release(stream);
    }

    /// Waits for everything in the context. It is current, and nothing captures.
    pub(super) fn synchronize_context(&self) -> Result<()> {
        // SAFETY: the call takes nothing.
        unsafe { cu!(self.context.driver, cuCtxSynchronize()) }
    }

    /// Refuses to wait for the whole device while a stream of this backend captures: the driver would refuse too, and
    /// end the capture as well (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations").
    pub(super) fn refuse_while_capturing(&self, operation: &'static str) -> Result<()> {
        if self.handles.captures() == 0 {
            return Ok(());
        }
        Err(Error::Capture {
            operation,
            problem: "a stream of this backend is capturing, and waiting for the device would end its capture; end or abandon the capture first"
                .into(),
        })
    }

    /// Refuses what a capturing stream cannot do, before the driver refuses it and ends the capture as well.
    pub(super) fn refuse_if_capturing(&self, operation: &'static str, stream: &StreamInUse) -> Result<()> {
        if self.capture_status(operation, stream)? == NOT_CAPTURING {
            return Ok(());
        }
        Err(Error::Capture {
            operation,
            problem: "the stream is capturing; do this before the capture begins or after it ends".into(),
        })
    }

    /// The stream's `CUstreamCaptureStatus`. Its context is current.
    pub(super) fn capture_status(&self, operation: &'static str, stream: &StreamInUse) -> Result<u32> {
        // The default stream cannot capture; and asking is refused while a stream that waits for it does.
        stream.created().map_or(Ok(NOT_CAPTURING), |stream| self.created_capture_status(operation, stream))
    }

    /// As [`capture_status`](Self::capture_status), of a stream that is not the default one.
    pub(super) fn created_capture_status(
        &self,
        operation: &'static str,
        stream: &OwnedStream,
    ) -> Result<u32> {
        let mut status = NOT_CAPTURING;
        // SAFETY: the number outlives the call, and the stream is held.
        unsafe { cu!(self.context.driver, cuStreamIsCapturing(stream.raw(), &raw mut status)) }
            .map_err(|error| capture_refusal(operation, error))?;
        Ok(status)
    }
}
