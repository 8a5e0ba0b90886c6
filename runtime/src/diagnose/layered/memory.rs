//! Device, managed and pinned memory.

use std::ptr::NonNull;

use super::{Layered, pass};
use crate::argument::DevicePtr;
use crate::backend::{DeviceMemory, MemoryInfo, PinnedMemory};
use crate::diagnose::{Layer, MemoryKind, Operation};
use crate::error::Result;

// SAFETY: `Layer` promises it of what the layer allocates.
#[deny(clippy::missing_trait_methods)]
unsafe impl<L: Layer> DeviceMemory for Layered<L> {
    fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
        let operation = Operation::Allocate { memory: MemoryKind::Device, bytes };
        pass!(self, "allocate", operation, call => self.layer.allocate(call, bytes))
    }

    fn allocate_managed(&self, bytes: usize) -> Result<DevicePtr> {
        let operation = Operation::Allocate { memory: MemoryKind::Managed, bytes };
        pass!(self, "allocate_managed", operation, call => self.layer.allocate_managed(call, bytes))
    }

    unsafe fn free(&self, ptr: DevicePtr) -> Result<()> {
        // SAFETY: the caller uses the memory no more.
        pass!(self, "free", Operation::Free { ptr }, call => unsafe { self.layer.free(call, ptr) })
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        pass!(self, "memory_info", Operation::MemoryInfo, call => call.inner.memory_info())
    }
}

// SAFETY: as above.
#[deny(clippy::missing_trait_methods)]
unsafe impl<L: Layer> PinnedMemory for Layered<L> {
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        let operation = Operation::Allocate { memory: MemoryKind::Pinned, bytes };
        pass!(self, "allocate_pinned", operation, call => self.layer.allocate_pinned(call, bytes))
    }

    unsafe fn free_pinned(&self, ptr: NonNull<u8>) -> Result<()> {
        // SAFETY: the caller uses the memory no more.
        pass!(self, "free_pinned", Operation::FreePinned { ptr }, call => unsafe {
            self.layer.free_pinned(call, ptr)
        })
    }

    fn pinned_device_ptr(&self, ptr: NonNull<u8>) -> Result<DevicePtr> {
        pass!(self, "pinned_device_ptr", Operation::PinnedDevicePtr { ptr }, call => {
            call.inner.pinned_device_ptr(ptr)
        })
    }
}
