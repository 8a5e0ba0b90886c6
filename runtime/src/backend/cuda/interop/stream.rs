//! cudarc's streams here, and streams of this crate in cudarc.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::name_of;
use crate::backend::StreamHandle;
use crate::backend::cuda::handles::{address, raw_stream, refuse_reserved};
use crate::device::{AsStream, Gpu, Stream, StreamRef};
use crate::diagnose::HazardCheck;
use crate::error::{Error, Result};

/// A stream of cudarc's, to be launched on through a backend in the same context.
///
/// A capture of cudarc's may begin on the stream only while no call here uses it, as cudarc's own copies need it too: what such
/// a call enqueues would become part of the capture, and read memory that is gone by then.
#[derive(Debug)]
pub struct CudarcStream {
    gpu: Gpu,
    stream: Arc<CudaStream>,
    handle: StreamHandle,
}

impl CudarcStream {
    /// The stream, for launches through `gpu`. Both are kept alive.
    ///
    /// # Errors
    ///
    /// Where `gpu` is no CUDA device, the stream is one of another context, or it is the per-thread default stream, which is
    /// another one on each thread.
    pub fn new(gpu: &Gpu, stream: &Arc<CudaStream>) -> Result<Self> {
        const OPERATION: &str = "CudarcStream::new";
        let cuda = gpu.as_cuda().filter(|cuda| cuda.context.is(stream.context().cu_ctx()));
        let Some(cuda) = cuda else {
            return Err(Error::ForeignStream {
                operation: OPERATION,
                stream: name_of(stream.context()),
                backend: gpu.label(),
            });
        };
        let handle = StreamHandle::new(address(stream.cu_stream()));
        refuse_reserved(OPERATION, handle)?;
        // SAFETY: the stream is one of this context, and is kept alive until it is released in `drop`. That no capture of cudarc's
        // begins on it meanwhile is asked above.
        unsafe { cuda.adopt_stream(handle) }?;
        Ok(Self { gpu: gpu.clone(), stream: Arc::clone(stream), handle })
    }

    /// cudarc's own stream.
    pub fn cudarc(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}

impl AsStream for CudarcStream {
    fn as_stream(&self) -> StreamRef<'_> {
        StreamRef::new(&**self.gpu.backend(), self.handle)
    }
}

impl Drop for CudarcStream {
    fn drop(&mut self) {
        // What was found once is found again.
        if let Some(cuda) = self.gpu.as_cuda() {
            cuda.release_stream(self.handle);
        }
    }
}

impl Stream {
    /// The stream as one of cudarc's, in the context that [`CudaBackend::to_cudarc`](crate::CudaBackend::to_cudarc) returns.
    ///
    /// cudarc counts only the streams that it creates: as long as its context has none, it takes all work to be in order and
    /// orders nothing between this stream and its default one (`CudaStream::join` does).
    ///
    /// # Errors
    ///
    /// Where the device is no CUDA device, and what cudarc says.
    ///
    /// # Safety
    ///
    /// The stream lives as long as what is returned, and as all that cudarc allocates on it: cudarc's memory keeps the stream that it
    /// was allocated on, and is freed there.
    pub unsafe fn to_cudarc(&self) -> Result<Arc<CudaStream>> {
        let Some(cuda) = self.gpu().as_cuda() else {
            return Err(self.gpu().unsupported("streams of cudarc's"));
        };
        let context = cuda.to_cudarc()?;
        // What cudarc enqueues and orders there goes to the driver itself.
        for check in self.gpu().backend().layers::<HazardCheck>() {
            check.layer().share_stream(self.handle());
        }
        if self.handle() == StreamHandle::DEFAULT {
            return Ok(context.default_stream());
        }
        // SAFETY: the stream is one of this context, and the caller keeps it alive and orders what is enqueued on it.
        Ok(unsafe { context.wrap_borrowed_stream(raw_stream(self.handle())) })
    }
}
