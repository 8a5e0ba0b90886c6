//! Copies and memsets.

use super::{Layered, work};
use crate::argument::DevicePtr;
use crate::backend::{Copy2d, CopyMemory, Fill, StreamHandle};
use crate::diagnose::{Layer, Operation, Order, Place, Transfer};
use crate::error::Result;

/// A copy whose host side, if it has one, is used no more when the call returns.
fn transfer(dst: Place, src: Place, bytes: usize, order: Order) -> Operation<'static> {
    Operation::Copy(Transfer { dst, src, bytes, order, retained: false })
}

/// A copy whose host side is used until the stream was synchronised.
fn retained(dst: Place, src: Place, bytes: usize, stream: StreamHandle) -> Operation<'static> {
    Operation::Copy(Transfer { dst, src, bytes, order: Order::Async(stream), retained: true })
}

fn host<T>(start: *const T) -> Place {
    Place::Host(start.addr())
}

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> CopyMemory for Layered<L> {
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
        let operation = transfer(Place::Device(dst), host(src.as_ptr()), src.len(), Order::Blocking);
        work!(self, "copy_to_device", operation, call => call.inner.copy_to_device(dst, src))
    }

    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        let operation = transfer(host(dst.as_ptr()), Place::Device(src), dst.len(), Order::Blocking);
        work!(self, "copy_to_host", operation, call => call.inner.copy_to_host(dst, src))
    }

    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
        let operation = transfer(Place::Device(dst), Place::Device(src), bytes, Order::Blocking);
        work!(self, "copy_within_device", operation, call => call.inner.copy_within_device(dst, src, bytes))
    }

    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        let order = Order::BlockingOn(stream);
        let operation = transfer(Place::Device(dst), host(src.as_ptr()), src.len(), order);
        work!(self, "copy_to_device_on", operation, call => call.inner.copy_to_device_on(stream, dst, src))
    }

    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        let order = Order::BlockingOn(stream);
        let operation = transfer(host(dst.as_ptr()), Place::Device(src), dst.len(), order);
        work!(self, "copy_to_host_on", operation, call => call.inner.copy_to_host_on(stream, dst, src))
    }

    fn copy_to_device_async(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        let order = Order::Async(stream);
        let operation = transfer(Place::Device(dst), host(src.as_ptr()), src.len(), order);
        work!(self, "copy_to_device_async", operation, call => {
            call.inner.copy_to_device_async(stream, dst, src)
        })
    }

    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        let operation = retained(Place::Device(dst), host(src), bytes, stream);
        // SAFETY: the caller answers for `src`.
        work!(self, "copy_to_device_retained", operation, call => unsafe {
            call.inner.copy_to_device_retained(stream, dst, src, bytes)
        })
    }

    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        let operation = retained(host(dst), Place::Device(src), bytes, stream);
        // SAFETY: the caller answers for `dst`.
        work!(self, "copy_to_host_async", operation, call => unsafe {
            call.inner.copy_to_host_async(stream, dst, src, bytes)
        })
    }

    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        let operation = transfer(Place::Device(dst), Place::Device(src), bytes, Order::Async(stream));
        work!(self, "copy_within_device_async", operation, call => {
            call.inner.copy_within_device_async(stream, dst, src, bytes)
        })
    }

    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
        work!(self, "copy_2d_async", Operation::CopyRectangle { copy, stream }, call => {
            call.inner.copy_2d_async(stream, copy)
        })
    }

    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        work!(self, "memset", Operation::Fill { dst, fill, bytes, order: Order::Blocking }, call => {
            call.inner.memset(dst, fill, bytes)
        })
    }

    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        work!(self, "memset_async", Operation::Fill { dst, fill, bytes, order: Order::Async(stream) }, call => {
            call.inner.memset_async(stream, dst, fill, bytes)
        })
    }
}
