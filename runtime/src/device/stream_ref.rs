use crate::backend::{BackendId, GpuBackend, OperationCache, StreamHandle};

/// A borrowed view of a stream: a backend, and one of its streams.
///
/// Code that holds `&dyn GpuBackend` and a raw stream makes one to call generated launch functions.
///
/// ```
/// use warpcall::{DeviceMut, Gpu, GpuBackend, Kernel, KernelLaunch, Module, Parameter, StreamHandle, StreamRef};
/// # static CLEAR: Kernel = Kernel::new(Module::new("clear"), "clear", &[Parameter::device_mut::<u32>("values", "*mut u32")])
/// #     .with_host(|call| call.run(|call| Ok(call.slice_mut::<u32, &mut [u32]>(0)?.fill(0))));
///
/// /// Part of an engine that knows nothing of `Stream`: its streams are numbers.
/// fn clear(backend: &dyn GpuBackend, raw_stream: u64, values: &mut impl DeviceMut<u32>) -> warpcall::Result<()> {
///     let stream = StreamRef::new(backend, StreamHandle::new(raw_stream));
///     // SAFETY: the stream is live, and `clear` writes what it is given.
///     unsafe {
///         KernelLaunch::new(backend, CLEAR.resolve(backend)?)
///             .arg_ptr(values.span_mut().ptr)
///             .launch(&stream)
///     }
/// }
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let mut values = gpu.upload(&[1_u32, 2, 3])?;
/// clear(&*gpu, stream.handle().get(), &mut values)?;
/// assert_eq!(values.to_vec(&stream)?, [0, 0, 0]);
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StreamRef<'a> {
    backend: &'a dyn GpuBackend,
    cache: &'a OperationCache,
    handle: StreamHandle,
}

impl<'a> StreamRef<'a> {
    /// The stream `handle` of `backend`.
    ///
    /// Any number makes one. Safe operations look it up and refuse one that is none; the caller of a launch, which is
    /// `unsafe`, answers for it being live.
    #[inline]
    pub fn new(backend: &'a dyn GpuBackend, handle: StreamHandle) -> Self {
        Self::with_cache(backend, backend.operation_cache(), handle)
    }

    /// The same, of a backend whose cache is known.
    #[inline]
    pub(super) fn with_cache(
        backend: &'a dyn GpuBackend,
        cache: &'a OperationCache,
        handle: StreamHandle,
    ) -> Self {
        Self { backend, cache, handle }
    }

    /// The default stream of `backend`.
    #[inline]
    pub fn default_of(backend: &'a dyn GpuBackend) -> Self {
        Self::new(backend, StreamHandle::DEFAULT)
    }

    /// The backend.
    #[inline]
    pub fn backend(&self) -> &'a dyn GpuBackend {
        self.backend
    }

    /// The backend's id.
    #[inline]
    pub fn backend_id(&self) -> BackendId {
        self.cache.backend()
    }

    /// What the backend has worked out once and keeps.
    #[inline]
    pub(crate) fn operation_cache(&self) -> &'a OperationCache {
        self.cache
    }

    /// The stream.
    #[inline]
    pub fn handle(&self) -> StreamHandle {
        self.handle
    }
}

/// What can be launched on: an owned [`Stream`](crate::Stream), or a [`StreamRef`].
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be launched on `{Self}`",
    label = "not a stream",
    note = "the first argument is a `&Stream`, or a `&StreamRef::new(backend, handle)`; the parameters of the kernel follow after the stream and the `LaunchConfig`"
)]
pub trait AsStream {
    /// The stream.
    fn as_stream(&self) -> StreamRef<'_>;
}

impl AsStream for StreamRef<'_> {
    #[inline]
    fn as_stream(&self) -> StreamRef<'_> {
        *self
    }
}
