use std::cell::Cell;
use std::ffi::c_void;
use std::panic::Location;

use super::{Kernel, LaunchConfig, submit};
use crate::argument::{DeviceMut, DeviceRef, DeviceSpan, KernelArg, NullableMut, NullableRef};
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
        }
    }

    /// The argument for a `*const T`.
    #[inline]
    pub fn device_ref<T>(&self, memory: &(impl DeviceRef<T> + ?Sized)) -> KernelArg<'static> {
        self.buffer(memory.span())
    }

    /// The argument for a `*mut T`.
    #[inline]
    pub fn device_mut<T>(&self, memory: &mut (impl DeviceMut<T> + ?Sized)) -> KernelArg<'static> {
        self.buffer(memory.span_mut())
    }

    /// The argument for a nullable `*const T`.
    #[inline]
    #[allow(clippy::needless_pass_by_value)] // So that a borrow of what `into` made need not outlive the call.
    pub fn nullable_ref<T>(&self, memory: NullableRef<'_, T>) -> KernelArg<'static> {
        self.buffer(memory.span())
    }

    /// The argument for a nullable `*mut T`.
    #[inline]
    #[allow(clippy::needless_pass_by_value)] // As above.
    pub fn nullable_mut<T>(&self, memory: NullableMut<'_, T>) -> KernelArg<'static> {
        self.buffer(memory.span())
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
    /// Where the kernel cannot be resolved, memory belongs to another backend, the grid or the block
    /// is empty, or the backend refuses the launch.
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
        unsafe { submit::submit(backend, &launch) }
    }
}

#[cold]
#[inline(never)]
fn foreign_memory(
    kernel: &'static Kernel,
    backend: &dyn GpuBackend,
    args: &[KernelArg<'_>],
    (memory_index, owner): (usize, BackendId),
) -> Error {
    let mut memory = kernel.parameters().iter().zip(args).filter(|(_, arg)| arg.as_buffer().is_some());
    Error::ForeignMemory {
        kernel: kernel.name().into(),
        parameter: memory.nth(memory_index).map_or("", |(parameter, _)| parameter.name()).into(),
        memory: owner,
        stream: backend.label(),
    }
}
