use crate::backend::{BackendId, GpuBackend, OperationCache, StreamHandle};

/// A borrowed view of a stream: a backend, and one of its streams.
///
/// Code that holds `&dyn GpuBackend` and a raw stream makes one to call generated launch functions.
#[derive(Clone, Copy, Debug)]
pub struct StreamRef<'a> {
    backend: &'a dyn GpuBackend,
    cache: &'a OperationCache,
    handle: StreamHandle,
}

impl<'a> StreamRef<'a> {
    /// The stream `handle` of `backend`.
    #[inline]
    pub fn new(backend: &'a dyn GpuBackend, handle: StreamHandle) -> Self {
        Self { backend, cache: backend.operation_cache(), handle }
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
