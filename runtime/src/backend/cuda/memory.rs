//! Device memory, and what is known of each address.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{c_int, c_uint};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use super::CudaBackend;
use super::deferred::Deferred;
use super::driver::{code, cu};
use crate::argument::DevicePtr;
use crate::backend::{DeviceInfo, DeviceMemory, MemoryInfo};
use crate::error::{Error, MemoryProblem, Result};

/// `CU_MEM_ATTACH_GLOBAL`: every stream may use the memory.
const ATTACH_GLOBAL: u32 = 1;
/// No allocation is larger: the host has no addresses for it. The driver rounds a size up first, and may find it invalid then.
pub(super) const LARGEST: usize = isize::MAX.unsigned_abs();
/// How many ranges that were freed are remembered, so that an error can say so.
const REMEMBERED: usize = 256;

/// Of `CUpointer_attribute`.
mod attribute {
    use std::ffi::c_uint;

    pub(super) const MEMORY_TYPE: c_uint = 2;
    pub(super) const IS_MANAGED: c_uint = 8;
    pub(super) const DEVICE_ORDINAL: c_uint = 9;
    pub(super) const RANGE_START: c_uint = 11;
    pub(super) const RANGE_SIZE: c_uint = 12;
}

/// `CU_MEMORYTYPE_HOST`: pinned memory.
const MEMORY_TYPE_HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`, which managed memory is too.
const MEMORY_TYPE_DEVICE: c_uint = 2;

/// The allocations of this backend.
#[derive(Default)]
pub(super) struct Allocations {
    live: RwLock<BTreeMap<u64, usize>>,
    freed: Mutex<VecDeque<(u64, usize)>>,
}

impl Allocations {
    fn insert(&self, start: u64, bytes: usize) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).insert(start, bytes);
        // The driver hands addresses out again.
        self.freed()
            .retain(|(freed, length)| start + bytes as u64 <= *freed || freed + *length as u64 <= start);
    }

    fn remove(&self, start: u64) -> Option<usize> {
        let bytes = self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&start)?;
        let mut freed = self.freed();
        if freed.len() == REMEMBERED {
            freed.pop_front();
        }
        freed.push_back((start, bytes));
        Some(bytes)
    }

    /// The live allocation that holds `address`.
    fn find(&self, address: u64) -> Option<(u64, usize)> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        let (start, bytes) = live.range(..=address).next_back()?;
        (address - start < *bytes as u64).then_some((*start, *bytes))
    }

    fn was_freed(&self, address: u64) -> bool {
        self.freed().iter().any(|(start, bytes)| (*start..start + *bytes as u64).contains(&address))
    }

    fn freed(&self) -> MutexGuard<'_, VecDeque<(u64, usize)>> {
        self.freed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_all(&self) -> BTreeMap<u64, usize> {
        std::mem::take(&mut *self.live.write().unwrap_or_else(PoisonError::into_inner))
    }
}

// SAFETY: the driver allocates on the device of this backend, nothing twice, and it stays until it is freed.
unsafe impl DeviceMemory for CudaBackend {
    fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
        not_empty("allocate", bytes)?;
        self.context.bind()?;
        if bytes > self.properties.total_memory {
            // The driver would round the size up first, and may find it invalid then.
            return Err(self.out_of_memory("device", bytes));
        }
        let mut ptr = 0;
        // SAFETY: the address outlives the call, and the context is current.
        let code = unsafe { (self.context.driver.cuMemAlloc)(&raw mut ptr, bytes) };
        self.allocated("cuMemAlloc", "device", code, ptr, bytes)
    }

    fn allocate_managed(&self, bytes: usize) -> Result<DevicePtr> {
        not_empty("allocate_managed", bytes)?;
        if !self.features.managed_memory {
            return Err(self.unsupported("managed memory"));
        }
        self.context.bind()?;
        if bytes > LARGEST {
            return Err(self.out_of_memory("managed", bytes));
        }
        let mut ptr = 0;
        // SAFETY: the address outlives the call, and the context is current.
        let code = unsafe { (self.context.driver.cuMemAllocManaged)(&raw mut ptr, bytes, ATTACH_GLOBAL) };
        self.allocated("cuMemAllocManaged", "managed", code, ptr, bytes)
    }

    unsafe fn free(&self, ptr: DevicePtr) -> Result<()> {
        let Some(bytes) = self.memory.remove(ptr.address()) else {
            return Err(self.not_a_start(ptr));
        };
        self.context.bind()?;
        match self.quiet() {
            // SAFETY: the range was allocated here and is freed once. The driver waits for the work that uses it.
            Ok(_quiet) => unsafe { cu!(self.context.driver, cuMemFree(ptr.address())) },
            Err(capturing) => {
                capturing.defer([Deferred::Device { start: ptr.address(), bytes }]);
                Ok(())
            }
        }
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.context.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the numbers outlive the call, and the context is current.
        unsafe { cu!(self.context.driver, cuMemGetInfo(&raw mut free, &raw mut total)) }?;
        Ok(MemoryInfo { total, free, driver_free: free, baseline_free: self.baseline_free })
    }
}

impl CudaBackend {
    fn allocated(
        &self,
        call: &'static str,
        memory: &'static str,
        code: u32,
        ptr: u64,
        bytes: usize,
    ) -> Result<DevicePtr> {
        match code {
            code::SUCCESS => {
                self.memory.insert(ptr, bytes);
                Ok(DevicePtr::new(ptr))
            }
            // Nothing but the size can be invalid.
            code::OUT_OF_MEMORY | code::INVALID_VALUE => Err(self.out_of_memory(memory, bytes)),
            code => Err(self.context.driver.error(call, code)),
        }
    }

    fn out_of_memory(&self, memory: &'static str, requested: usize) -> Error {
        let available = self.memory_info().map_or(0, |info| info.driver_free);
        Error::OutOfMemory { memory, requested, available }
    }

    fn not_a_start(&self, ptr: DevicePtr) -> Error {
        let problem = if ptr.is_null() {
            MemoryProblem::Null
        } else if self.memory.find(ptr.address()).is_some() {
            MemoryProblem::NotAStart
        } else {
            match self.foreign_range(ptr.address()) {
                Ok(_) => MemoryProblem::Foreign,
                Err(MemoryProblem::Pinned) => {
                    return Error::InvalidArgument {
                        operation: "free",
                        what: ptr.to_string().into(),
                        found: "pinned host memory".into(),
                        expected: "device memory; pinned memory is freed with `free_pinned`".into(),
                    };
                }
                Err(problem) => problem,
            }
        };
        Error::Memory { operation: "free".into(), ptr, bytes: 0, problem }
    }

    /// Whether `bytes` bytes at `ptr` are memory that this backend's device reaches by an address of its own.
    ///
    /// Memory that was allocated here is found without the driver. Of other memory the driver is asked: the
    /// operations that call this are safe, and on systems where the device reaches all of the host's memory the driver
    /// would write to any address that it is given. Memory that a slice on the host may borrow is refused: pinned
    /// memory, and managed memory of somebody else. The context is current.
    pub(super) fn check_range(&self, operation: &'static str, ptr: DevicePtr, bytes: usize) -> Result<()> {
        let address = ptr.address();
        let refuse = |problem| Err(Error::Memory { operation: operation.into(), ptr, bytes, problem });
        if ptr.is_null() {
            return refuse(MemoryProblem::Null);
        }
        match self.memory.find(address).map_or_else(|| self.foreign_range(address), Ok) {
            Ok((start, length)) if length as u64 - (address - start) >= bytes as u64 => Ok(()),
            Ok((start, length)) => {
                refuse(MemoryProblem::OutOfBounds { start: DevicePtr::new(start), length })
            }
            Err(problem) => refuse(problem),
        }
    }

    /// Whether somebody has memory at this address.
    pub(crate) fn is_allocated(&self, ptr: DevicePtr) -> bool {
        let taken = |problem| matches!(problem, MemoryProblem::Pinned | MemoryProblem::Foreign);
        self.memory.find(ptr.address()).is_some()
            || (self.context.bind().is_ok() && self.foreign_range(ptr.address()).map_or_else(taken, |_| true))
    }

    /// The allocation at `address` that somebody else made on this device.
    fn foreign_range(&self, address: u64) -> Result<(u64, usize), MemoryProblem> {
        let unknown = |_| {
            if self.memory.was_freed(address) { MemoryProblem::Freed } else { MemoryProblem::Unknown }
        };
        if self.pinned.holds_alias(address) {
            return Err(MemoryProblem::Pinned);
        }
        if self.captures.holds_freed(address) {
            return Err(MemoryProblem::Freed);
        }
        let (mut kind, mut device, mut start, mut length): (c_uint, c_int, u64, usize) = (0, 0, 0, 0);
        let mut managed: c_uint = 0;
        let ask = |attribute, value: *mut std::ffi::c_void| {
            // SAFETY: `value` is as large as the attribute, and outlives the call. The driver looks the address
            // up and does not read there.
            unsafe { cu!(self.context.driver, cuPointerGetAttribute(value, attribute, address)) }
        };
        ask(attribute::MEMORY_TYPE, (&raw mut kind).cast()).map_err(unknown)?;
        match kind {
            MEMORY_TYPE_DEVICE => {}
            MEMORY_TYPE_HOST => return Err(MemoryProblem::Pinned),
            _ => return Err(MemoryProblem::Unknown),
        }
        ask(attribute::DEVICE_ORDINAL, (&raw mut device).cast()).map_err(unknown)?;
        ask(attribute::IS_MANAGED, (&raw mut managed).cast()).map_err(unknown)?;
        if device != self.context.device || managed != 0 {
            return Err(MemoryProblem::Foreign);
        }
        ask(attribute::RANGE_START, (&raw mut start).cast()).map_err(unknown)?;
        ask(attribute::RANGE_SIZE, (&raw mut length).cast()).map_err(unknown)?;
        if address.checked_sub(start).is_some_and(|offset| offset < length as u64) {
            Ok((start, length))
        } else {
            Err(MemoryProblem::Unknown)
        }
    }

    /// Takes all that is left out, the scratch memory of the operation cache among it, to be freed.
    pub(super) fn take_memory(&self) -> impl Iterator<Item = Deferred> {
        self.cache.take_scratch();
        self.memory.take_all().into_iter().map(|(start, bytes)| Deferred::Device { start, bytes })
    }
}

/// Refuses an allocation of nothing.
pub(super) fn not_empty(operation: &'static str, bytes: usize) -> Result<()> {
    if bytes > 0 {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        operation,
        what: "the number of bytes".into(),
        found: "0".into(),
        expected: "at least 1".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_its_allocation_up_to_the_last_byte() {
        let allocations = Allocations::default();
        allocations.insert(0x1000, 0x100);
        assert_eq!(allocations.find(0x1000), Some((0x1000, 0x100)));
        assert_eq!(allocations.find(0x10ff), Some((0x1000, 0x100)));
        assert_eq!(allocations.find(0x1100), None);
        assert_eq!(allocations.find(0xfff), None);
    }

    #[test]
    fn a_freed_range_is_remembered_until_it_is_handed_out_again() {
        let allocations = Allocations::default();
        allocations.insert(0x1000, 0x100);
        assert_eq!(allocations.remove(0x1000), Some(0x100));
        assert_eq!(allocations.remove(0x1000), None);
        assert!(allocations.was_freed(0x10ff));
        allocations.insert(0x1080, 0x10);
        assert!(!allocations.was_freed(0x10ff), "the memory is in use again");
    }
}
