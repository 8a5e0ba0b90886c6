//! What a backend is: one trait a capability, and [`GpuBackend`] for all of them together.

mod capability;
#[cfg(feature = "cuda")]
pub mod cuda;
mod handle;
pub mod host;
mod lookup_audit;
pub mod mock;
mod operation_cache;

#[cfg(feature = "cuda")]
pub use capability::{
    Copy2d, CopyMemory, DeviceInfo, DeviceLimits, DeviceMemory, DeviceProperties, Events, Fill, Graphs,
    KernelAttributes, KernelLookup, Launch, LaunchKernels, MemoryInfo, Occupancy, PinnedMemory, Streams,
    TensorMaps, TiledTensor,
};
pub use handle::{BackendId, EventHandle, GraphHandle, KernelHandle, StreamHandle};
pub use host::{HostBackend, HostCall, HostFunction, HostLaunch};
pub use lookup_audit::{FailedLookup, LookupAudit};
pub use operation_cache::OperationCache;

/// All that warpcall needs of a device. Object-safe; a backend is used as `&dyn GpuBackend`.
///
/// Each capability is a trait of its own. A backend must supply memory, copies, kernel look-up, launches,
/// synchronisation, and what the device is. The rest has defaults, which return
/// [`Error::Unsupported`](crate::Error::Unsupported) and never pretend to have worked.
///
/// Rules for every implementation:
///
/// - What it does not have is an error, never a success; an attribute of a launch too.
/// - An error is returned by the call that caused it, never kept for a later one. What a device finds
///   only while it executes is returned by the call that waits for it.
/// - Nothing panics, `Drop` least of all.
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
        + Send
        + Sync
{
}
