//! cudarc's memory as arguments, ordered as cudarc orders it.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr as CudarcPtr,
    DevicePtrMut as CudarcPtrMut, DeviceRepr, DeviceSlice, SyncOnDrop,
};

use super::{driver_error, name_of, without_parking};
use crate::argument::{
    DeviceMut, DevicePtr, DeviceRef, DeviceSpan, ElementMut, ElementRef, MemoryUse, TrackedRead, TrackedWrite,
};
use crate::backend::cuda::CudaBackend;
use crate::backend::cuda::driver::Driver;
use crate::backend::cuda::handles::{StreamInUse, address};
use crate::backend::cuda::stream::NOT_CAPTURING;
use crate::device::{StreamRef, Void};
use crate::error::{Error, Result};

const OPERATION: &str = "launch";
const WAIT: &str = "cuStreamWaitEvent (by cudarc)";
const RECORD: &str = "cuEventRecord (by cudarc)";

/// cudarc's memory while work that uses it is enqueued on a stream.
struct Use<'a> {
    /// Records what the stream has enqueued when it is dropped. Borrows `stream`, so it goes first.
    record: ManuallyDrop<SyncOnDrop<'a>>,
    stream: Arc<CudaStream>,
    driver: &'static Driver,
}

impl<'a> Use<'a> {
    /// Has `take` make `stream` wait for what used the memory before.
    fn begin(
        driver: &'static Driver,
        stream: Arc<CudaStream>,
        take: impl FnOnce(&'a CudaStream) -> (u64, SyncOnDrop<'a>),
    ) -> Result<(DevicePtr, Self)> {
        // SAFETY: the stream lies behind an `Arc`, which is kept beside what borrows it, never replaced, and dropped after it.
        let borrowed = unsafe { &*Arc::as_ptr(&stream) };
        let taken = without_parking(driver, stream.context(), WAIT, || {
            let (address, record) = take(borrowed);
            (address, ManuallyDrop::new(record))
        });
        // Of a wait that failed nothing is to be recorded; what would do so holds no more than references.
        let (address, record) = taken?;
        Ok((DevicePtr::new(address), Self { record, stream, driver }))
    }

    /// Has cudarc record what the stream has enqueued.
    fn end(self) -> Result<()> {
        let Self { record, stream, driver } = self;
        without_parking(driver, stream.context(), RECORD, || drop(ManuallyDrop::into_inner(record)))
    }
}

/// Begins a use of memory of `own`'s context on `stream`. `take` gives the address, and makes a stream wait where cudarc
/// manages that.
fn begin<'a>(
    stream: StreamRef<'a>,
    own: Arc<CudaStream>,
    bytes: usize,
    take: impl FnOnce(&'a CudaStream) -> (u64, SyncOnDrop<'a>),
) -> Result<MemoryUse<'a>> {
    let cuda = in_context(stream, own.context())?;
    let (driver, context) = (cuda.context.driver, Arc::clone(own.context()));
    let span = |ptr| DeviceSpan { ptr, bytes: Some(bytes), backend: None };
    let is_own = address(own.cu_stream()) == stream.handle().get();
    let has_one_stream = !context.is_in_multi_stream_mode();
    if !context.is_event_tracking() || (has_one_stream && is_own) {
        let (ptr, _) = Use::begin(driver, own, take)?;
        return Ok(MemoryUse::new(span(ptr)));
    }
    // Looked up once more where the use ends. Held until then, a use that is forgotten would be waited for by whoever releases
    // the stream, for ever.
    let handle = stream.handle();
    let held = cuda.stream(OPERATION, handle)?;
    refuse_capture(cuda, &held)?;
    // SAFETY: the stream is one of this backend, whose context this is, and is held wherever this is used.
    let on = unsafe { context.wrap_borrowed_stream(held.raw()) };
    if !has_one_stream {
        let (ptr, in_use) = Use::begin(driver, on, take)?;
        return Ok(MemoryUse::with_end(span(ptr), move || {
            let _held = cuda.stream(OPERATION, handle)?;
            in_use.end()
        }));
    }
    // cudarc knows of one stream only, and records nothing.
    join(driver, &on, &own)?;
    let (ptr, _) = Use::begin(driver, Arc::clone(&own), take)?;
    Ok(MemoryUse::with_end(span(ptr), move || {
        let _held = cuda.stream(OPERATION, handle)?;
        join(driver, &own, &on)
    }))
}

/// Makes `stream` wait for all that is enqueued on `other`.
fn join(driver: &'static Driver, stream: &CudaStream, other: &CudaStream) -> Result<()> {
    let joined = without_parking(driver, stream.context(), WAIT, || stream.join(other))?;
    joined.map_err(|error| driver_error(driver, WAIT, error))
}

/// The CUDA backend of `stream`, whose context is `context`.
fn in_context<'a>(stream: StreamRef<'a>, context: &CudaContext) -> Result<&'a CudaBackend> {
    let cuda = stream.backend().as_cuda().filter(|cuda| cuda.context.is(context.cu_ctx()));
    cuda.ok_or_else(|| Error::InvalidArgument {
        operation: OPERATION,
        what: "the memory".into(),
        found: format!("cudarc's, in {}", name_of(context)).into(),
        expected: format!(
            "memory in the context of {}, on whose stream the launch is, or a raw `DevicePtr` that its kernels reach",
            stream.backend().label()
        )
        .into(),
    })
}

/// Refuses to order memory by events from outside of a capture: the driver would refuse that too, and give the capture up.
fn refuse_capture(cuda: &CudaBackend, stream: &StreamInUse) -> Result<()> {
    // The default stream cannot capture.
    let Some(created) = stream.created() else { return Ok(()) };
    cuda.context.bind()?;
    if cuda.capture_status(OPERATION, created.raw())? == NOT_CAPTURING {
        return Ok(());
    }
    Err(Error::Capture {
        operation: OPERATION,
        problem: "the stream is capturing, and cudarc orders this memory by events from outside of the capture, which would end it; \
                  turn that off while the stream captures, with `CudaContext::disable_event_tracking`"
            .into(),
    })
}

/// Where memory lies. cudarc tells it only together with making a stream wait for what wrote the memory: its own stream, for which
/// that changes little.
fn span_of<T>(memory: &impl CudarcPtr<T>) -> DeviceSpan {
    let (ptr, read) = memory.device_ptr(memory.stream());
    std::mem::forget(read);
    DeviceSpan { ptr: DevicePtr::new(ptr), bytes: Some(memory.num_bytes()), backend: None }
}

macro_rules! read_arguments {
    ($($type:ty),+) => {$(
        impl<T> TrackedRead for $type {
            fn span(&self) -> DeviceSpan {
                span_of(self)
            }

            fn begin_read<'a>(&'a self, stream: StreamRef<'a>) -> Result<MemoryUse<'a>> {
                let (own, bytes) = (Arc::clone(DeviceSlice::stream(self)), self.num_bytes());
                begin(stream, own, bytes, move |on| self.device_ptr(on))
            }
        }

        impl<T> ElementRef<T> for $type {}

        read_arguments!(@ T, [T] $type);
        read_arguments!(@ Void, [T: DeviceRepr] $type);
    )+};
    (@ $element:ty, [$($generics:tt)+] $type:ty) => {
        // What is missing is explained with the memory of this crate.
        #[diagnostic::do_not_recommend]
        // SAFETY: cudarc allocated the memory, and the borrow keeps it.
        unsafe impl<$($generics)+> DeviceRef<$element> for $type {
            fn span(&self) -> DeviceSpan {
                span_of(self)
            }

            fn tracked(&self) -> Option<&dyn TrackedRead> {
                Some(self)
            }
        }
    };
}

macro_rules! written_arguments {
    ($($type:ty),+) => {$(
        impl<T> TrackedWrite for $type {
            fn span_mut(&mut self) -> DeviceSpan {
                span_of(self)
            }

            fn begin_write<'a>(&'a mut self, stream: StreamRef<'a>) -> Result<MemoryUse<'a>> {
                let (own, bytes) = (Arc::clone(DeviceSlice::stream(self)), self.num_bytes());
                begin(stream, own, bytes, move |on| self.device_ptr_mut(on))
            }
        }

        impl<T> ElementMut<T> for $type {}

        written_arguments!(@ T, [T] $type);
        written_arguments!(@ Void, [T: DeviceRepr] $type);
    )+};
    (@ $element:ty, [$($generics:tt)+] $type:ty) => {
        // As above.
        #[diagnostic::do_not_recommend]
        // SAFETY: cudarc allocated the memory, the borrow keeps it, and cudarc's borrows are exclusive where it is written.
        unsafe impl<$($generics)+> DeviceMut<$element> for $type {
            fn span_mut(&mut self) -> DeviceSpan {
                span_of(self)
            }

            fn tracked_mut(&mut self) -> Option<&mut dyn TrackedWrite> {
                Some(self)
            }
        }
    };
}

read_arguments!(CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);
written_arguments!(CudaSlice<T>, CudaViewMut<'_, T>);
