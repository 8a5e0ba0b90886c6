//! What a backend is: one trait a capability, and [`GpuBackend`] for all of them together.

use std::any::Any;

mod capability;
#[cfg(feature = "cuda")]
pub mod cuda;
mod handle;
pub mod host;
mod known_modules;
mod lookup_audit;
pub mod mock;
mod operation_cache;
mod underneath;

pub use capability::{
    Copy2d, CopyMemory, DeviceInfo, DeviceLimits, DeviceMemory, DeviceProperties, Events, Fill, Graphs,
    Interleave, KernelAttributes, KernelLookup, L2Promotion, Launch, LaunchKernels, MemoryInfo, Occupancy,
    OutsideFill, PinnedMemory, Streams, Swizzle, TensorElement, TensorMaps, TiledTensor,
};
pub use handle::{BackendId, EventHandle, GraphHandle, KernelHandle, StreamHandle};
pub use host::{HostBackend, HostCall, HostFunction, HostLaunch, HostOutcome};
pub use lookup_audit::{FailedLookup, LookupAudit};
pub use operation_cache::OperationCache;

/// All that warpcall needs of a device. Object-safe; a backend is used as `&dyn GpuBackend`.
///
/// Each capability is a trait of its own. A backend must supply memory, copies, kernel look-up, launches,
/// synchronisation, and what the device is. The rest has defaults, which return
/// [`Error::Unsupported`](crate::Error::Unsupported) and never pretend to have worked.
///
/// Three of the traits are `unsafe`, for unsafe code trusts what they return: [`DeviceMemory`], [`PinnedMemory`] and
/// [`KernelLookup`].
///
/// Rules for every implementation:
///
/// - What it does not have is an error, never a success; an attribute of a launch too.
/// - An error is returned by the call that caused it, never kept for a later one. What a device finds
///   only while it executes is returned by the call that waits for it.
/// - Nothing panics, `Drop` least of all.
///
/// # Wrapping a backend
///
/// What only looks at calls, or refuses some, is a [`Layer`](crate::diagnose::Layer), which cannot forget one.
///
/// A backend that wraps another by itself passes each call on, also the ones that have a default: a default does not ask the
/// wrapped backend. Left out, [`launch`](LaunchKernels::launch) falls to the raw form, so that a host or a mock underneath loses
/// names, extents and the caller's location; [`declaration`](KernelLookup::declaration) answers `None`, so that nothing compares the
/// arguments of a [`KernelLaunch`](crate::KernelLaunch) any more; [`kernel_name`](KernelLookup::kernel_name) leaves errors without
/// a name; [`bind_to_thread`](DeviceInfo::bind_to_thread) succeeds and does nothing;
/// [`copy_to_device_async`](CopyMemory::copy_to_device_async) blocks; and managed and pinned memory, streams, events, graphs, tensor
/// maps, kernel attributes and occupancy are [`Error::Unsupported`](crate::Error::Unsupported);
/// [`inner`](DeviceInfo::inner) answers `None`, so that `as_cuda` does not find the backend underneath.
/// `#[deny(clippy::missing_trait_methods)]` on each `impl` finds what was left out.
///
/// [`operation_cache`](DeviceInfo::operation_cache) is passed on, too, so the wrapper has the id, the resolved kernels and the
/// scratch memory of what it wraps: memory and streams of one are those of the other. Only what gives out handles of
/// its own has a cache, and so an id, of its own, as [`MockBackend`](crate::MockBackend) does.
///
/// A wrapper that allows only so much memory, and has only what it must have:
///
/// ```
/// use std::ffi::c_void;
/// use std::sync::Arc;
///
/// use warpcall::backend::{
///     Copy2d, CopyMemory, DeviceInfo, DeviceMemory, DeviceProperties, Events, Fill, Graphs, KernelLookup, Launch,
///     LaunchKernels, LookupAudit, MemoryInfo, OperationCache, PinnedMemory, Streams, TensorMaps,
/// };
/// use warpcall::{DevicePtr, Error, Gpu, GpuBackend, HostBackend, Kernel, KernelHandle, LaunchConfig};
/// use warpcall::{Module, Result, StreamHandle};
///
/// #[derive(Debug)]
/// struct Limited {
///     inner: HostBackend,
///     largest: usize,
/// }
///
/// impl DeviceInfo for Limited {
///     fn kind(&self) -> &'static str {
///         "limited"
///     }
///
///     fn properties(&self) -> &DeviceProperties {
///         self.inner.properties()
///     }
///
///     fn operation_cache(&self) -> &OperationCache {
///         self.inner.operation_cache()
///     }
///
///     fn inner(&self) -> Option<&dyn GpuBackend> {
///         Some(&self.inner)
///     }
/// }
///
/// // SAFETY: the memory is the wrapped backend's.
/// unsafe impl DeviceMemory for Limited {
///     fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
///         if bytes > self.largest {
///             return Err(Error::OutOfMemory { memory: "device", requested: bytes, available: self.largest });
///         }
///         self.inner.allocate(bytes)
///     }
///
///     unsafe fn free(&self, ptr: DevicePtr) -> Result<()> {
///         // SAFETY: the caller uses the memory no more.
///         unsafe { self.inner.free(ptr) }
///     }
///
///     fn memory_info(&self) -> Result<MemoryInfo> {
///         self.inner.memory_info()
///     }
/// }
///
/// impl LaunchKernels for Limited {
///     unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
///         // SAFETY: handles and streams are the wrapped backend's, and the caller answers for the rest.
///         unsafe { self.inner.launch(launch) }
///     }
///
///     unsafe fn launch_raw(
///         &self,
///         kernel: KernelHandle,
///         config: &LaunchConfig,
///         stream: StreamHandle,
///         params: &[*mut c_void],
///     ) -> Result<()> {
///         // SAFETY: as above.
///         unsafe { self.inner.launch_raw(kernel, config, stream, params) }
///     }
/// }
///
/// // SAFETY: handles and cache are the wrapped backend's.
/// unsafe impl KernelLookup for Limited {
///     fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle> {
///         self.inner.find_kernel(module, name)
///     }
///     // `register_module`, `has_module`, `resolve_kernel` and `lookup_audit` likewise.
/// #   fn register_module(&self, module: Module) -> Result<()> { self.inner.register_module(module) }
/// #   fn has_module(&self, module: &str) -> bool { self.inner.has_module(module) }
/// #   fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle> { self.inner.resolve_kernel(kernel) }
/// #   fn lookup_audit(&self) -> &LookupAudit { self.inner.lookup_audit() }
/// }
///
/// impl CopyMemory for Limited {
///     fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
///         self.inner.copy_to_device(dst, src)
///     }
///     // The other copies likewise.
/// #   fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> { self.inner.copy_to_host(dst, src) }
/// #   fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
/// #       self.inner.copy_within_device(dst, src, bytes)
/// #   }
/// #   fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
/// #       self.inner.copy_to_device_on(stream, dst, src)
/// #   }
/// #   fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
/// #       self.inner.copy_to_host_on(stream, dst, src)
/// #   }
/// #   unsafe fn copy_to_device_retained(
/// #       &self, stream: StreamHandle, dst: DevicePtr, src: *const u8, bytes: usize,
/// #   ) -> Result<()> {
/// #       unsafe { self.inner.copy_to_device_retained(stream, dst, src, bytes) }
/// #   }
/// #   unsafe fn copy_to_host_async(
/// #       &self, stream: StreamHandle, dst: *mut u8, src: DevicePtr, bytes: usize,
/// #   ) -> Result<()> {
/// #       unsafe { self.inner.copy_to_host_async(stream, dst, src, bytes) }
/// #   }
/// #   fn copy_within_device_async(
/// #       &self, stream: StreamHandle, dst: DevicePtr, src: DevicePtr, bytes: usize,
/// #   ) -> Result<()> {
/// #       self.inner.copy_within_device_async(stream, dst, src, bytes)
/// #   }
/// #   fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
/// #       self.inner.copy_2d_async(stream, copy)
/// #   }
/// #   fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> { self.inner.memset(dst, fill, bytes) }
/// #   fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
/// #       self.inner.memset_async(stream, dst, fill, bytes)
/// #   }
/// }
///
/// impl Streams for Limited {
///     fn synchronize(&self) -> Result<()> {
///         self.inner.synchronize()
///     }
///
///     fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
///         self.inner.synchronize_stream(stream)
///     }
/// }
///
/// // What it does not have is an error that says so.
/// unsafe impl PinnedMemory for Limited {} // SAFETY: these are the defaults.
/// impl Events for Limited {}
/// impl Graphs for Limited {}
/// impl TensorMaps for Limited {}
///
/// let gpu = Gpu::from_backend(Arc::new(Limited { inner: HostBackend::new(), largest: 1024 }));
/// assert!(gpu.as_host().is_some(), "the backend underneath");
/// let bytes = gpu.upload(&[1_u8, 2, 3])?;
/// assert_eq!(bytes.to_vec(&gpu.default_stream())?, [1, 2, 3]);
/// assert!(matches!(gpu.zeros::<u8>(1025), Err(Error::OutOfMemory { .. })));
/// assert!(matches!(gpu.create_event(), Err(Error::Unsupported { .. })));
/// # Ok::<(), Error>(())
/// ```
pub trait GpuBackend:
    DeviceInfo
    + DeviceMemory
    + CopyMemory
    + PinnedMemory
    + KernelLookup
    + LaunchKernels
    + Streams
    + Events
    + Graphs
    + TensorMaps
    + std::fmt::Debug
    + Any
    + Send
    + Sync
{
}

impl<T> GpuBackend for T where
    T: DeviceInfo
        + DeviceMemory
        + CopyMemory
        + PinnedMemory
        + KernelLookup
        + LaunchKernels
        + Streams
        + Events
        + Graphs
        + TensorMaps
        + std::fmt::Debug
        + Any
        + Send
        + Sync
{
}
