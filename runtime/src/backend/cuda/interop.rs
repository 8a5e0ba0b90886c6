//! cudarc's contexts, streams and memory in launches of this crate, so that a program adopts one launch at a time.
//!
//! ```no_run
//! use cudarc::driver::CudaContext;
//! use warpcall::backend::cuda::interop::CudarcStream;
//! use warpcall::{CudaBackend, Kernel, KernelLaunch, Module};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = CudaContext::new(0)?;
//! let stream = context.new_stream()?;
//! let backend = CudaBackend::from_cudarc(&context)?;
//! let stream = CudarcStream::new(&backend, &stream)?;
//! // `stream` is launched on like any other; `CudaSlice`s are arguments like any buffer.
//! # Ok(())
//! # }
//! ```
//!
//! cudarc tracks which stream used a slice last through events that it records in its own launches. Of a launch made here
//! it knows nothing. Work on the same stream is in order all the same; where cudarc uses a slice on another
//! stream afterwards, tell it with [`note_read`] or [`note_write`].

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr as CudarcPtr,
    DevicePtrMut as CudarcPtrMut,
};

use super::context::Context;
use super::handles;
use super::{CudaBackend, open};
use crate::argument::{DeviceMut, DevicePtr, DeviceRef, DeviceSpan};
use crate::backend::{BackendId, DeviceInfo, StreamHandle};
use crate::device::{AsStream, StreamRef};
use crate::error::{Error, Result};

impl CudaBackend {
    /// A backend in cudarc's context, which it keeps alive.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Arc<Self>> {
        let ordinal = context.ordinal();
        let driver = open::driver(ordinal)?;
        let id = BackendId::next();
        let owner = Box::new(Arc::clone(context));
        let context = Context::borrowed(driver, context.cu_device(), context.cu_ctx(), id, owner);
        Self::builder(ordinal).open_on(context, id)
    }

    /// cudarc's view of this backend's context, in which cudarc's streams and memory can be used here.
    ///
    /// # Errors
    ///
    /// What cudarc says.
    pub fn to_cudarc(&self) -> Result<Arc<CudaContext>> {
        if let Some(context) = self.context.owner::<Arc<CudaContext>>() {
            return Ok(Arc::clone(context));
        }
        // The driver is loaded, so cudarc finds it. Its context is the primary one, as this backend's is.
        CudaContext::new(self.ordinal).map_err(|error| {
            // The number alone, since cudarc's enumeration may not list what the driver returned.
            self.context.driver.error("cuDevicePrimaryCtxRetain", error.0 as u32)
        })
    }
}

/// A stream of cudarc's, to be launched on through a backend in the same context.
#[derive(Debug)]
pub struct CudarcStream {
    backend: Arc<CudaBackend>,
    stream: Arc<CudaStream>,
    handle: StreamHandle,
}

impl CudarcStream {
    /// The stream, for `backend`. Both are kept alive.
    ///
    /// # Errors
    ///
    /// Where the stream is one of another context.
    pub fn new(backend: &Arc<CudaBackend>, stream: &Arc<CudaStream>) -> Result<Self> {
        if !backend.context.is(stream.context().cu_ctx()) {
            return Err(Error::ForeignStream {
                operation: "CudarcStream::new",
                stream: format!("another context of CUDA device {}", stream.context().ordinal()).into(),
                backend: backend.label(),
            });
        }
        let handle = StreamHandle::new(handles::address(stream.cu_stream()));
        // SAFETY: the stream is one of this context, and is kept alive until it is released in `drop`.
        unsafe { backend.adopt_stream(handle) }?;
        Ok(Self { backend: Arc::clone(backend), stream: Arc::clone(stream), handle })
    }

    /// cudarc's own stream.
    pub fn cudarc(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The backend.
    pub fn backend(&self) -> &Arc<CudaBackend> {
        &self.backend
    }
}

impl AsStream for CudarcStream {
    fn as_stream(&self) -> StreamRef<'_> {
        StreamRef::new(&*self.backend, self.handle)
    }
}

impl Drop for CudarcStream {
    fn drop(&mut self) {
        self.backend.release_stream(self.handle);
    }
}

/// Tells cudarc that `memory` was read by a launch on `stream`, which it did not make: what cudarc writes there from now on,
/// on whichever stream, waits for that.
pub fn note_read<T>(memory: &impl CudarcPtr<T>, stream: &CudarcStream) {
    let (_, read) = memory.device_ptr(&stream.stream);
    drop(read);
}

/// Tells cudarc that `memory` was written by a launch on `stream`, which it did not make: what cudarc does with it from now
/// on, on whichever stream, waits for that.
pub fn note_write<T>(memory: &mut impl CudarcPtrMut<T>, stream: &CudarcStream) {
    let (_, written) = memory.device_ptr_mut(&stream.stream);
    drop(written);
}

/// Where cudarc's memory lies. No event is recorded: that is what [`note_read`] and [`note_write`] are for.
fn span_of<T>(memory: &impl CudarcPtr<T>) -> DeviceSpan {
    let (ptr, read) = memory.device_ptr(memory.stream());
    std::mem::forget(read);
    DeviceSpan { ptr: DevicePtr::new(ptr), bytes: Some(memory.num_bytes()), backend: None }
}

macro_rules! read_arguments {
    ($($type:ty),+) => {$(
        // SAFETY: cudarc allocated the memory, and the borrow keeps it.
        unsafe impl<T> DeviceRef<T> for $type {
            fn span(&self) -> DeviceSpan {
                span_of(self)
            }
        }
    )+};
}

macro_rules! written_arguments {
    ($($type:ty),+) => {$(
        // SAFETY: cudarc allocated the memory, the borrow keeps it, and cudarc's borrows are exclusive where it is written.
        unsafe impl<T> DeviceMut<T> for $type {
            fn span_mut(&mut self) -> DeviceSpan {
                span_of(self)
            }
        }
    )+};
}

read_arguments!(CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);
written_arguments!(CudaSlice<T>, CudaViewMut<'_, T>);

/// Untyped parameters take cudarc's memory of any element type through its address.
pub fn address<T>(memory: &impl CudarcPtr<T>) -> DevicePtr {
    span_of(memory).ptr
}
