use std::ptr::NonNull;

use crate::argument::DevicePtr;
use crate::backend::host::memory::Kind;
use crate::backend::host::{HostBackend, address_space};
use crate::backend::{DeviceMemory, MemoryInfo, PinnedMemory};
use crate::error::{MemoryProblem, Result};

// SAFETY: each allocation is a block of its own at addresses of its own, which stays until it is freed; managed memory has the address of its block, exposed.
unsafe impl DeviceMemory for HostBackend {
    fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
        self.gate.enter("allocate")?.memory.allocate("allocate", Kind::Device, bytes)
    }

    fn allocate_managed(&self, bytes: usize) -> Result<DevicePtr> {
        self.gate.enter("allocate_managed")?.memory.allocate("allocate_managed", Kind::Managed, bytes)
    }

    unsafe fn free(&self, ptr: DevicePtr) -> Result<()> {
        let mut state = self.gate.enter("free")?;
        state.run_all_quietly();
        state.memory.free("free", ptr)
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(self.gate.enter("memory_info")?.memory.info())
    }
}

// SAFETY: as above; a block of pinned memory is zero and aligned to 256 bytes, and `device_range` refuses its addresses to every copy and memset.
unsafe impl PinnedMemory for HostBackend {
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        let mut state = self.gate.enter("allocate_pinned")?;
        let ptr = state.memory.allocate("allocate_pinned", Kind::Pinned, bytes)?;
        Ok(state.memory.pinned_host_ptr(ptr).expect("it was just allocated"))
    }

    unsafe fn free_pinned(&self, ptr: NonNull<u8>) -> Result<()> {
        let mut state = self.gate.enter("free_pinned")?;
        state.run_all_quietly();
        state.memory.free_pinned("free_pinned", ptr)
    }

    fn pinned_device_ptr(&self, ptr: NonNull<u8>) -> Result<DevicePtr> {
        self.gate.enter("pinned_device_ptr")?.memory.pinned_device_ptr("pinned_device_ptr", ptr)
    }
}

impl HostBackend {
    /// What is wrong with an address that was this or another host backend's and is no memory of this one now. `None`
    /// for memory, and for an address that no host backend ever had.
    pub(in crate::backend) fn stale(
        &self,
        operation: &'static str,
        ptr: DevicePtr,
    ) -> Result<Option<MemoryProblem>> {
        let found = self.gate.enter(operation)?.memory.resolve(ptr, 0);
        Ok(match found {
            Err(MemoryProblem::Unknown) if !address_space::is_claimed(ptr.address()) => None,
            other => other.err(),
        })
    }
}
