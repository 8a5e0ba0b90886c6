use std::panic::Location;
use std::ptr::NonNull;

use super::call::address;
use super::{Call, MockBackend};
use crate::argument::DevicePtr;
use crate::backend::{DeviceMemory, MemoryInfo, PinnedMemory};
use crate::device::called_at;
use crate::error::Result;

// SAFETY: the wrapped backend keeps the promises, and each call goes to it.
#[deny(clippy::missing_trait_methods)]
unsafe impl DeviceMemory for MockBackend {
    fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
        self.enter(Call::Allocate { bytes, location: Location::caller() })?;
        self.inner.allocate(bytes)
    }

    fn allocate_managed(&self, bytes: usize) -> Result<DevicePtr> {
        self.enter(Call::AllocateManaged { bytes, location: Location::caller() })?;
        self.inner.allocate_managed(bytes)
    }

    unsafe fn free(&self, ptr: DevicePtr) -> Result<()> {
        self.enter(Call::Free { ptr, location: called_at(Location::caller()) })?;
        // SAFETY: the caller uses the memory no more.
        unsafe { self.inner.free(ptr) }
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.enter(Call::MemoryInfo {})?;
        self.inner.memory_info()
    }
}

// SAFETY: as above.
#[deny(clippy::missing_trait_methods)]
unsafe impl PinnedMemory for MockBackend {
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        self.enter(Call::AllocatePinned { bytes, location: Location::caller() })?;
        self.inner.allocate_pinned(bytes)
    }

    unsafe fn free_pinned(&self, ptr: NonNull<u8>) -> Result<()> {
        self.enter(Call::FreePinned { address: address(ptr), location: called_at(Location::caller()) })?;
        // SAFETY: the caller uses the memory no more.
        unsafe { self.inner.free_pinned(ptr) }
    }

    fn pinned_device_ptr(&self, ptr: NonNull<u8>) -> Result<DevicePtr> {
        self.enter(Call::PinnedDevicePtr { address: address(ptr) })?;
        self.inner.pinned_device_ptr(ptr)
    }
}
