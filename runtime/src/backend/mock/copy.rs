use super::{Call, MockBackend};
use crate::argument::DevicePtr;
use crate::backend::{Copy2d, CopyMemory, Fill, StreamHandle};
use crate::error::Result;

#[deny(clippy::missing_trait_methods)]
impl CopyMemory for MockBackend {
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.enter(Call::CopyToDevice { dst, bytes: src.len() })?;
        self.inner.copy_to_device(dst, src)
    }

    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        self.enter(Call::CopyToHost { src, bytes: dst.len() })?;
        self.inner.copy_to_host(dst, src)
    }

    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
        self.enter(Call::CopyWithinDevice { dst, src, bytes })?;
        self.inner.copy_within_device(dst, src, bytes)
    }

    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.enter(Call::CopyToDeviceOn { stream, dst, bytes: src.len() })?;
        self.inner.copy_to_device_on(stream, dst, src)
    }

    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        self.enter(Call::CopyToHostOn { stream, src, bytes: dst.len() })?;
        self.inner.copy_to_host_on(stream, dst, src)
    }

    fn copy_to_device_async(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.enter(Call::CopyToDeviceAsync { stream, dst, bytes: src.len() })?;
        self.inner.copy_to_device_async(stream, dst, src)
    }

    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        self.enter(Call::CopyToDeviceRetained { stream, dst, bytes })?;
        // SAFETY: the caller retains the source.
        unsafe { self.inner.copy_to_device_retained(stream, dst, src, bytes) }
    }

    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        self.enter(Call::CopyToHostAsync { stream, src, bytes })?;
        // SAFETY: the caller leaves the destination alone.
        unsafe { self.inner.copy_to_host_async(stream, dst, src, bytes) }
    }

    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        self.enter(Call::CopyWithinDeviceAsync { stream, dst, src, bytes })?;
        self.inner.copy_within_device_async(stream, dst, src, bytes)
    }

    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
        self.enter(Call::Copy2dAsync { stream, copy: *copy })?;
        self.inner.copy_2d_async(stream, copy)
    }

    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        self.enter(Call::Memset { dst, fill, bytes })?;
        self.inner.memset(dst, fill, bytes)
    }

    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        self.enter(Call::MemsetAsync { stream, dst, fill, bytes })?;
        self.inner.memset_async(stream, dst, fill, bytes)
    }
}
