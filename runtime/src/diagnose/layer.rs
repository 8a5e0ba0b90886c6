use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use super::{Call, Outcome};
use crate::argument::DevicePtr;
use crate::backend::{GpuBackend, KernelHandle, Launch, StreamHandle};
use crate::error::Result;
use crate::launch::LaunchConfig;

/// What is done around each call of a backend.
///
/// [`Layered`](super::Layered) makes a backend of it and the backend underneath, which passes every call on; so a layer cannot
/// forget one. All methods but the name have defaults that do nothing.
///
/// A layer that counts launches:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use warpcall::Gpu;
/// use warpcall::diagnose::{Call, Layer, Operation, Outcome};
///
/// #[derive(Clone, Debug, Default)]
/// struct FillCount(Arc<AtomicU64>);
///
/// // SAFETY: memory is left to the backend underneath.
/// unsafe impl Layer for FillCount {
///     fn name(&self) -> &'static str {
///         "fill count"
///     }
///
///     fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
///         if let (Operation::Fill { .. }, Outcome::Done) = (call.operation, outcome) {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let fills = FillCount::default();
/// let gpu = Gpu::builder().host().layer(fills.clone()).open()?;
/// let zeros = gpu.zeros::<f32>(100)?;
/// assert_eq!(fills.0.load(Ordering::Relaxed), 1);
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// # Safety
///
/// What [`allocate`](Self::allocate), [`allocate_managed`](Self::allocate_managed) and [`allocate_pinned`](Self::allocate_pinned) return
/// keeps the promises of [`DeviceMemory`](crate::backend::DeviceMemory) and
/// [`PinnedMemory`](crate::backend::PinnedMemory). The defaults keep them.
pub unsafe trait Layer: fmt::Debug + Send + Sync + 'static {
    /// The layer in a few words: `red zones`.
    fn name(&self) -> &'static str;

    /// Told what it was put around. A layer that needs the backend outside of a call keeps a [`Weak`](std::sync::Weak) of it: the
    /// backend closes when the last [`Gpu`](crate::Gpu) on it is gone.
    fn opened(&self, inner: &Arc<dyn GpuBackend>) {
        let _ = inner;
    }

    /// Asked before the call is passed on.
    ///
    /// # Errors
    ///
    /// The call is not passed on then, and returns this error.
    #[inline]
    fn before(&self, call: &Call<'_>) -> Result<()> {
        let _ = call;
        Ok(())
    }

    /// Told what came of the call.
    #[inline]
    fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
        let _ = (call, outcome);
    }

    /// Asked after [work](super::Operation::is_work) was enqueued, or done.
    ///
    /// # Errors
    ///
    /// The call returns this error, although the work was enqueued.
    #[inline]
    fn verify(&self, call: &Call<'_>) -> Result<()> {
        let _ = call;
        Ok(())
    }

    /// Passes a launch with typed arguments on.
    ///
    /// # Errors
    ///
    /// As for [`LaunchKernels::launch`](crate::backend::LaunchKernels::launch).
    ///
    /// # Safety
    ///
    /// As for [`LaunchKernels::launch`](crate::backend::LaunchKernels::launch).
    #[inline]
    unsafe fn launch(&self, call: &Call<'_>, launch: &Launch<'_>) -> Result<()> {
        // SAFETY: the caller answers for it.
        unsafe { call.inner.launch(launch) }
    }

    /// Passes a launch with one pointer a parameter on.
    ///
    /// # Errors
    ///
    /// As for [`LaunchKernels::launch_raw`](crate::backend::LaunchKernels::launch_raw).
    ///
    /// # Safety
    ///
    /// As for [`LaunchKernels::launch_raw`](crate::backend::LaunchKernels::launch_raw).
    #[track_caller]
    unsafe fn launch_raw(
        &self,
        call: &Call<'_>,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        // SAFETY: the caller answers for it.
        unsafe { call.inner.launch_raw(kernel, config, stream, params) }
    }

    /// Allocates device memory.
    ///
    /// # Errors
    ///
    /// As for [`DeviceMemory::allocate`](crate::backend::DeviceMemory::allocate).
    #[track_caller]
    fn allocate(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        call.inner.allocate(bytes)
    }

    /// Allocates managed memory.
    ///
    /// # Errors
    ///
    /// As for [`DeviceMemory::allocate_managed`](crate::backend::DeviceMemory::allocate_managed).
    #[track_caller]
    fn allocate_managed(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        call.inner.allocate_managed(bytes)
    }

    /// Frees device or managed memory.
    ///
    /// # Errors
    ///
    /// As for [`DeviceMemory::free`](crate::backend::DeviceMemory::free).
    ///
    /// # Safety
    ///
    /// As for [`DeviceMemory::free`](crate::backend::DeviceMemory::free).
    #[track_caller]
    unsafe fn free(&self, call: &Call<'_>, ptr: DevicePtr) -> Result<()> {
        // SAFETY: the caller uses the memory no more.
        unsafe { call.inner.free(ptr) }
    }

    /// Allocates pinned memory.
    ///
    /// # Errors
    ///
    /// As for [`PinnedMemory::allocate_pinned`](crate::backend::PinnedMemory::allocate_pinned).
    #[track_caller]
    fn allocate_pinned(&self, call: &Call<'_>, bytes: usize) -> Result<NonNull<u8>> {
        call.inner.allocate_pinned(bytes)
    }

    /// Frees pinned memory.
    ///
    /// # Errors
    ///
    /// As for [`PinnedMemory::free_pinned`](crate::backend::PinnedMemory::free_pinned).
    ///
    /// # Safety
    ///
    /// As for [`PinnedMemory::free_pinned`](crate::backend::PinnedMemory::free_pinned).
    #[track_caller]
    unsafe fn free_pinned(&self, call: &Call<'_>, ptr: NonNull<u8>) -> Result<()> {
        // SAFETY: the caller uses the memory no more.
        unsafe { call.inner.free_pinned(ptr) }
    }

    /// Told that the backend closes, while the one underneath is still open.
    fn close(&self, inner: &dyn GpuBackend) {
        let _ = inner;
    }
}
