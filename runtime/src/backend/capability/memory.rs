use super::DeviceInfo;
use crate::argument::DevicePtr;
use crate::error::Result;

/// How much memory a device has, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// All of it.
    pub total: usize,
    /// What can still be allocated here. More than `driver_free` where the backend keeps freed memory for reuse.
    pub free: usize,
    /// What the driver alone reports as free.
    pub driver_free: usize,
    /// What the driver reported as free when this backend was opened.
    pub baseline_free: usize,
}

/// Allocating and freeing device memory.
///
/// # Safety
///
/// The owning layer hands out what [`allocate`](Self::allocate) and [`allocate_managed`](Self::allocate_managed) return as memory of one
/// owner, to kernels and, where it is managed, to the host. So an implementation promises of it:
///
/// - It is `bytes` bytes that kernels launched on this backend may read and write at that address, aligned to at least 256
///   bytes, until [`free`](Self::free) is called with its start or the backend is dropped.
/// - It overlaps nothing else that is allocated.
/// - Managed memory is also valid for reads and writes of the host at the same address, whose provenance is exposed.
pub unsafe trait DeviceMemory: DeviceInfo {
    /// Allocates `bytes` bytes of device memory, aligned to at least 256 bytes, content undefined.
    ///
    /// # Errors
    ///
    /// Where there is not enough memory, or `bytes` is zero.
    #[track_caller]
    fn allocate(&self, bytes: usize) -> Result<DevicePtr>;

    /// Allocates `bytes` bytes that host and device both reach at the same address.
    ///
    /// # Errors
    ///
    /// As for [`allocate`](Self::allocate), and where the backend has no managed memory.
    #[track_caller]
    fn allocate_managed(&self, bytes: usize) -> Result<DevicePtr> {
        let _ = bytes;
        Err(self.unsupported("managed memory"))
    }

    /// Frees what [`allocate`](Self::allocate) or [`allocate_managed`](Self::allocate_managed) returned.
    /// Work already enqueued that uses it is completed first. While a stream captures, the backend may keep the memory
    /// until none does; whoever names it from then on is told that it is [freed](crate::MemoryProblem::Freed).
    ///
    /// # Errors
    ///
    /// Where `ptr` is not the start of a live allocation of this backend.
    ///
    /// # Safety
    ///
    /// Nothing uses the memory after this call, neither its owner, such as a [`Buffer`](crate::Buffer), nor a host access to managed
    /// memory, nor a launch of a graph that recorded work on it.
    #[track_caller]
    unsafe fn free(&self, ptr: DevicePtr) -> Result<()>;

    /// Total and free memory.
    ///
    /// # Errors
    ///
    /// Where the driver refuses.
    fn memory_info(&self) -> Result<MemoryInfo>;
}
