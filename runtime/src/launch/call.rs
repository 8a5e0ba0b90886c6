use std::cell::Cell;
use std::ffi::c_void;
use std::panic::Location;

use super::{Kernel, LaunchConfig, submit};
use crate::argument::{
    DeviceMut, DevicePtr, DeviceRef, DeviceSpan, Given, KernelArg, MemoryUse, NullableMut, NullableRef,
    TrackedRead, TrackedWrite,
};
use crate::backend::{BackendId, GpuBackend, Launch};
use crate::device::{AsStream, StreamRef};
use crate::error::{Error, Result};

/// One call of a generated launch function: it takes the memory arguments, noting any that another
/// backend owns, and hands all of them over.
pub struct Call<'a, const N: usize> {
    kernel: &'static Kernel,
    stream: StreamRef<'a>,
    /// The place, among the memory arguments, of the first that another backend owns, and that backend.
    foreign: Cell<Option<(usize, BackendId)>>,
    /// The lengths of the memory arguments so far, in their order.
    extents: [Cell<usize>; N],
    memory_count: Cell<usize>,
    tracking: TrackingIfAny<'a>,
}

/// The tracked memory of a call; `None` as long as there is none.
#[derive(Default)]
struct TrackingIfAny<'a>(Cell<Option<Box<Tracking<'a>>>>);

impl Drop for TrackingIfAny<'_> {
    // So small that a launch without tracked memory keeps the whole call in registers.
    #[inline]
    fn drop(&mut self) {
        if let Some(tracking) = self.0.take() {
            end_unlaunched(tracking);
        }
    }
}

#[cold]
#[inline(never)]
#[allow(clippy::boxed_local)] // It is what there is.
fn end_unlaunched(tracking: Box<Tracking<'_>>) {
    drop(tracking);
}

/// The tracked memory of a call.
#[derive(Default)]
struct Tracking<'a> {
    uses: Vec<MemoryUse<'a>>,
    /// The place, among the memory arguments, of the first that the launch may not use, and why.
    refused: Option<(usize, Error)>,
}

impl<'a, const N: usize> Call<'a, N> {
    /// A call of `kernel` on `stream`.
    #[inline]
    pub fn new(kernel: &'static Kernel, stream: &'a (impl AsStream + ?Sized)) -> Self {
        Self {
            kernel,
            stream: stream.as_stream(),
            foreign: Cell::new(None),
            extents: [const { Cell::new(0) }; N],
            memory_count: Cell::new(0),
            tracking: TrackingIfAny::default(),
        }
    }

    /// The argument for a `*const T`.
    #[inline]
    pub fn device_ref<T>(&self, memory: &'a (impl DeviceRef<T> + ?Sized)) -> KernelArg<'static> {
        self.read(Given::read(memory))
    }

    /// The argument for a `*mut T`.
    #[inline]
    pub fn device_mut<T>(&self, memory: &'a mut (impl DeviceMut<T> + ?Sized)) -> KernelArg<'static> {
        self.written(Given::written(memory))
    }

    /// The argument for a nullable `*const T`.
    #[inline]
    pub fn nullable_ref<T>(&self, memory: NullableRef<'a, T>) -> KernelArg<'static> {
        self.read(memory.into_given())
    }

    /// The argument for a nullable `*mut T`.
    #[inline]
    pub fn nullable_mut<'m: 'a, T>(&self, memory: NullableMut<'m, T>) -> KernelArg<'static> {
        self.written(memory.into_given())
    }

    #[inline]
    fn read(&self, memory: Given<&'a dyn TrackedRead>) -> KernelArg<'static> {
        match memory {
            Given::Untracked(span) => self.buffer(span),
            Given::Tracked(memory) => self.tracked(memory.begin_read(self.stream)),
        }
    }

    #[inline]
    fn written<'m: 'a>(&self, memory: Given<&'m mut (dyn TrackedWrite + 'm)>) -> KernelArg<'static> {
        match memory {
            Given::Untracked(span) => self.buffer(span),
            Given::Tracked(memory) => self.tracked(memory.begin_write(self.stream)),
        }
    }

    #[cold]
    #[inline(never)]
    fn tracked(&self, began: Result<MemoryUse<'a>>) -> KernelArg<'static> {
        let mut tracking = self.tracking.0.take().unwrap_or_default();
        let span = match began {
            Ok(memory) => {
                let span = memory.span();
                tracking.uses.push(memory);
                span
            }
            Err(error) => {
                tracking.refused.get_or_insert((self.memory_count.get(), error));
                DeviceSpan { ptr: DevicePtr::NULL, bytes: Some(0), backend: None }
            }
        };
        self.tracking.0.set(Some(tracking));
        self.buffer(span)
    }

    #[inline]
    fn buffer(&self, span: DeviceSpan) -> KernelArg<'static> {
        let index = self.memory_count.get();
        if let Some(owner) = span.backend.filter(|owner| *owner != self.stream.backend_id()) {
            self.foreign.set(self.foreign.get().or(Some((index, owner))));
        }
        if let Some(extent) = self.extents.get(index) {
            extent.set(span.bytes.unwrap_or(Launch::UNKNOWN_EXTENT));
        }
        self.memory_count.set(index + 1);
        KernelArg::Buffer(span.ptr)
    }

    /// Launches the kernel.
    ///
    /// # Errors
    ///
    /// Where the kernel cannot be resolved, memory belongs to another backend, the owner of memory refuses its use, the grid
    /// or the block is empty, or the backend refuses the launch.
    ///
    /// # Safety
    ///
    /// `args` are the kernel's parameters by their declaration, the declaration is the kernel's, the stream is live, and
    /// what the kernel does with them within this configuration is sound.
    #[inline]
    #[track_caller]
    pub unsafe fn submit(&self, config: &LaunchConfig, args: &[KernelArg<'_>; N]) -> Result<()> {
        let (kernel, backend) = (self.kernel, self.stream.backend());
        if let Some(foreign) = self.foreign.get() {
            return Err(foreign_memory(kernel, backend, args, foreign));
        }
        let tracking = match self.tracking.0.take() {
            None => None,
            Some(tracking) => Some(tracking.unless_refused(kernel, args)?),
        };
        // Here the number and the kinds of the arguments are known, so that this is N stores and no loop.
        let params: [*mut c_void; N] = std::array::from_fn(|index| args[index].as_param());
        let extents: [usize; N] = std::array::from_fn(|index| self.extents[index].get());
        let launch = Launch {
            kernel: kernel.resolve_in(self.stream.operation_cache(), backend)?,
            declaration: Some(kernel),
            config,
            stream: self.stream.handle(),
            args,
            params: &params,
            extents: extents.get(..self.memory_count.get()).unwrap_or_default(),
            location: Location::caller(),
        };
        // SAFETY: the caller answers for the arguments and the kernel.
        let launched = unsafe { submit::submit(backend, &launch) };
        match tracking {
            None => launched,
            Some(uses) => launched.and_then(|()| end_all(uses)),
        }
    }
}

impl<'a> Tracking<'a> {
    #[cold]
    #[inline(never)]
    fn unless_refused(self, kernel: &Kernel, args: &[KernelArg<'_>]) -> Result<Vec<MemoryUse<'a>>> {
        match self.refused {
            None => Ok(self.uses),
            Some((memory_index, error)) => Err(Error::OfParameter {
                kernel: kernel.name().into(),
                parameter: memory_parameter(kernel, args, memory_index),
                source: Box::new(error),
            }),
        }
    }
}

/// Ends all uses, and returns the first error.
#[cold]
#[inline(never)]
fn end_all(uses: Vec<MemoryUse<'_>>) -> Result<()> {
    uses.into_iter().map(MemoryUse::end).fold(Ok(()), Result::and)
}

/// The name of the parameter that the memory argument of this place is for.
fn memory_parameter(kernel: &Kernel, args: &[KernelArg<'_>], memory_index: usize) -> Box<str> {
    let mut memory = kernel.parameters().iter().zip(args).filter(|(_, arg)| arg.as_buffer().is_some());
    memory.nth(memory_index).map_or("", |(parameter, _)| parameter.name()).into()
}

#[cold]
#[inline(never)]
fn foreign_memory(
    kernel: &'static Kernel,
    backend: &dyn GpuBackend,
    args: &[KernelArg<'_>],
    (memory_index, owner): (usize, BackendId),
) -> Error {
    Error::ForeignMemory {
        kernel: kernel.name().into(),
        parameter: memory_parameter(kernel, args, memory_index),
        memory: owner,
        stream: backend.label(),
    }
}
