use std::ptr::NonNull;

use super::DeviceInfo;
use crate::argument::DevicePtr;
use crate::error::Result;

/// Host memory that stays where it is, so that the device can reach it and copies need no staging.
///
/// # Safety
///
/// [`PinnedBuffer`](crate::PinnedBuffer) makes slices of what [`allocate_pinned`](Self::allocate_pinned) returns, so an
/// implementation promises of it:
///
/// - It is `bytes` bytes of the host's memory, all zero, aligned to at least 64 bytes, valid for reads and writes
///   until [`free_pinned`](Self::free_pinned) is called with its start or the backend is dropped.
/// - It overlaps nothing else that is allocated, and the backend itself neither reads nor writes it, apart from the copies and
///   launches that it is given it for.
/// - No safe operation of the backend reads or writes it by its [device address](Self::pinned_device_ptr).
///
/// The defaults, which have no pinned memory, keep all of these.
pub unsafe trait PinnedMemory: DeviceInfo {
    /// Allocates `bytes` bytes of pinned host memory, all zero, aligned to at least 64 bytes.
    ///
    /// # Errors
    ///
    /// Where there is not enough memory, `bytes` is zero, or the backend has no pinned memory.
    #[track_caller]
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        let _ = bytes;
        Err(self.unsupported("pinned host memory"))
    }

    /// Frees what [`allocate_pinned`](Self::allocate_pinned) returned. Work already enqueued that uses it is completed first.
    /// While a stream captures, the backend may keep the memory until none does.
    ///
    /// # Errors
    ///
    /// Where `ptr` is not a live allocation of pinned memory of this backend.
    ///
    /// # Safety
    ///
    /// Nothing uses the memory after this call, neither its owner, such as a [`PinnedBuffer`](crate::PinnedBuffer), nor a launch
    /// of a graph that recorded work on it.
    #[track_caller]
    unsafe fn free_pinned(&self, ptr: NonNull<u8>) -> Result<()> {
        let _ = ptr;
        Err(self.unsupported("pinned host memory"))
    }

    /// The address at which a kernel reaches pinned memory.
    ///
    /// # Errors
    ///
    /// Where `ptr` does not lie in pinned memory of this backend.
    #[track_caller]
    fn pinned_device_ptr(&self, ptr: NonNull<u8>) -> Result<DevicePtr> {
        let _ = ptr;
        Err(self.unsupported("pinned host memory"))
    }
}
