//! Pinned host memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock};

use super::CudaBackend;
use super::deferred::Deferred;
use super::driver::{code, cu};
use super::memory::{LARGEST, not_empty};
use crate::argument::DevicePtr;
use crate::backend::PinnedMemory;
use crate::error::{Error, MemoryProblem, Result};

/// `CU_MEMHOSTALLOC_PORTABLE` and `CU_MEMHOSTALLOC_DEVICEMAP`: pinned for every context, and mapped for the device.
const PORTABLE_AND_MAPPED: u32 = 1 | 2;

/// The pinned allocations of this backend, by address on the host.
#[derive(Default)]
pub(super) struct PinnedAllocations(RwLock<BTreeMap<usize, PinnedRange>>);

#[derive(Clone, Copy)]
struct PinnedRange {
    bytes: usize,
    alias: u64,
}

impl PinnedAllocations {
    fn find(&self, address: usize) -> Option<(usize, PinnedRange)> {
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (start, range) = live.range(..=address).next_back()?;
        (address - start < range.bytes).then_some((*start, *range))
    }

    /// Whether `address` lies in the device alias of a pinned allocation.
    pub(super) fn holds_alias(&self, address: u64) -> bool {
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        live.values()
            .any(|range| address.checked_sub(range.alias).is_some_and(|offset| offset < range.bytes as u64))
    }

    fn insert(&self, start: usize, range: PinnedRange) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(start, range);
    }

    fn remove(&self, start: usize) -> bool {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&start).is_some()
    }
}

// SAFETY: the driver allocates pages of its own, aligned to more than 64 bytes, which are zeroed here and stay until they are
// freed; `check_range` refuses their addresses to every copy and memset.
unsafe impl PinnedMemory for CudaBackend {
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        not_empty("allocate_pinned", bytes)?;
        self.context.bind()?;
        let start = self.new_raw_pinned(bytes)?;
        // SAFETY: `bytes` bytes were just allocated there, and nobody else knows the address. The driver does not zero them.
        unsafe { start.write_bytes(0, bytes) };
        let mut alias = 0;
        // SAFETY: the address outlives the call, and the memory was allocated as mapped.
        let mapped = unsafe {
            cu!(self.context.driver, cuMemHostGetDevicePointer(&raw mut alias, start.as_ptr().cast(), 0))
        };
        if let Err(error) = mapped {
            self.dispose(vec![Deferred::Pinned(start.as_ptr() as usize)]);
            return Err(error);
        }
        self.pinned.insert(start.as_ptr() as usize, PinnedRange { bytes, alias });
        Ok(start)
    }

    unsafe fn free_pinned(&self, ptr: NonNull<u8>) -> Result<()> {
        let start = ptr.as_ptr() as usize;
        if !self.pinned.remove(start) {
            let problem = match self.pinned.find(start) {
                Some(_) => MemoryProblem::NotAStart,
                None => MemoryProblem::Unknown,
            };
            return Err(no_pinned_memory("free_pinned", ptr, problem));
        }
        self.context.bind()?;
        let _quiet = match self.quiet() {
            Ok(quiet) => quiet,
            Err(capturing) => {
                // Work that uses it may be under way, and cannot be waited for while a stream captures.
                capturing.defer([Deferred::Pinned(start)]);
                return Ok(());
            }
        };
        // What the device found wrong is told, and the memory freed nonetheless.
        let idle = self.synchronize_context();
        // SAFETY: the range was allocated here and is freed once, by an owner that does not use it again.
        let freed = unsafe { cu!(self.context.driver, cuMemFreeHost(start as *mut c_void)) };
        idle.and(freed)
    }

    fn pinned_device_ptr(&self, ptr: NonNull<u8>) -> Result<DevicePtr> {
        let address = ptr.as_ptr() as usize;
        match self.pinned.find(address) {
            Some((start, range)) => Ok(DevicePtr::new(range.alias).byte_add(address - start)),
            None => Err(no_pinned_memory("pinned_device_ptr", ptr, MemoryProblem::Unknown)),
        }
    }
}

fn no_pinned_memory(operation: &str, ptr: NonNull<u8>, problem: MemoryProblem) -> Error {
    let ptr = DevicePtr::new(ptr.as_ptr() as usize as u64);
    Error::Memory { operation: operation.into(), ptr, bytes: 0, problem }
}

impl CudaBackend {
    /// Pinned memory that no table knows, content undefined. The context is current.
    pub(super) fn new_raw_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        // How much of the host's memory can be pinned is not to be asked for.
        let out_of_memory = || Err(Error::OutOfMemory { memory: "pinned", requested: bytes, available: 0 });
        if bytes > LARGEST {
            return out_of_memory();
        }
        let mut start = std::ptr::null_mut();
        // SAFETY: the address outlives the call, and the context is current.
        let code =
            unsafe { (self.context.driver.cuMemHostAlloc)(&raw mut start, bytes, PORTABLE_AND_MAPPED) };
        match (code, NonNull::new(start.cast())) {
            (code::SUCCESS, Some(start)) => Ok(start),
            // Nothing but the size can be invalid.
            (code::SUCCESS | code::OUT_OF_MEMORY | code::INVALID_VALUE, _) => out_of_memory(),
            (code, _) => Err(self.context.driver.error("cuMemHostAlloc", code)),
        }
    }

    /// Takes all that is left out, to be freed.
    pub(super) fn take_pinned(&self) -> impl Iterator<Item = Deferred> {
        let live = std::mem::take(&mut *self.pinned.0.write().unwrap_or_else(PoisonError::into_inner));
        live.into_keys().map(Deferred::Pinned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_its_allocation_up_to_the_last_byte_on_both_sides() {
        let pinned = PinnedAllocations::default();
        pinned.insert(0x1000, PinnedRange { bytes: 0x100, alias: 0x9000 });
        let starts = |address| pinned.find(address).map(|(start, _)| start);
        assert_eq!([0xfff, 0x1000, 0x10ff, 0x1100].map(starts), [None, Some(0x1000), Some(0x1000), None]);
        let aliases = [0x8fff, 0x9000, 0x90ff, 0x9100].map(|address| pinned.holds_alias(address));
        assert_eq!(aliases, [false, true, true, false]);
        assert!(pinned.remove(0x1000) && !pinned.remove(0x1000));
        assert!(!pinned.holds_alias(0x9000));
    }
}
