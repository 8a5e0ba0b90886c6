//! Copies and memsets.
//!
//! What the driver promises of each call is in the driver's manual under "API synchronization behavior":
//! a copy from pageable memory may return once the source is staged, with the transfer still under way; one from
//! pinned memory is asynchronous, and so is every memset and every copy within the device, also those whose
//! names do not say so. The operations here that block wait for the stream themselves, since other streams do not
//! wait for the default one.

use cudarc::driver::sys::{CUDA_MEMCPY2D_st, CUmemorytype, CUstream};

use super::CudaBackend;
use super::driver::{capture_refusal, cu};
use super::handles::StreamInUse;
use super::rectangle;
use super::stream::Uncaptured;
use crate::argument::DevicePtr;
use crate::backend::{Copy2d, CopyMemory, Fill, StreamHandle};
use crate::error::{Error, MemoryProblem, Result};

impl CopyMemory for CudaBackend {
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const OPERATION: &str = "copy_to_device";
        let check = || self.check_range(OPERATION, dst, src.len());
        self.execute(OPERATION, StreamHandle::DEFAULT, src.len(), check, |stream| {
            let driver = self.context.driver;
            // SAFETY: the source is a slice, and the destination was checked.
            unsafe { cu!(driver, cuMemcpyHtoD(dst.address(), src.as_ptr().cast(), src.len())) }?;
            self.wait_for(stream)
        })
    }

    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        const OPERATION: &str = "copy_to_host";
        let bytes = dst.len();
        let check = || self.check_range(OPERATION, src, bytes);
        self.execute(OPERATION, StreamHandle::DEFAULT, bytes, check, |_| {
            let (driver, dst) = (self.context.driver, dst.as_mut_ptr().cast());
            // SAFETY: the destination is an exclusive slice, and the source was checked. The call returns once the copy is done.
            unsafe { cu!(driver, cuMemcpyDtoH(dst, src.address(), bytes)) }
        })
    }

    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
        const OPERATION: &str = "copy_within_device";
        let check = || self.check_ranges(OPERATION, dst, src, bytes);
        self.execute(OPERATION, StreamHandle::DEFAULT, bytes, check, |stream| {
            // SAFETY: both ranges were checked, and do not overlap; the stream is held.
            unsafe { self.enqueue_copy(stream.raw(), dst, src, bytes) }?;
            self.wait_for(stream)
        })
    }

    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const OPERATION: &str = "copy_to_device_on";
        let check = || self.check_range(OPERATION, dst, src.len());
        self.execute(OPERATION, stream, src.len(), check, |stream| self.copy_and_wait(stream, dst, src))
    }

    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        const OPERATION: &str = "copy_to_host_on";
        let bytes = dst.len();
        let check = || self.check_range(OPERATION, src, bytes);
        self.execute(OPERATION, stream, bytes, check, |stream| {
            let (driver, dst) = (self.context.driver, dst.as_mut_ptr().cast());
            // SAFETY: the source was checked, and the exclusive slice is not used before the wait below.
            let copied = unsafe { cu!(driver, cuMemcpyDtoHAsync(dst, src.address(), bytes, stream.raw())) };
            // After a refusal too, for the slice is the caller's again.
            let waited = self.wait_for(stream);
            copied.and(waited)
        })
    }

    fn copy_to_device_async(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const OPERATION: &str = "copy_to_device_async";
        let check = || self.check_range(OPERATION, dst, src.len());
        // A graph would read the source at each launch, long after the caller may have dropped it.
        self.execute(OPERATION, stream, src.len(), check, |stream| {
            if self.copy_staged(stream, dst, src)? { Ok(()) } else { self.copy_and_wait(stream, dst, src) }
        })
    }

    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        const OPERATION: &str = "copy_to_device_retained";
        let check = || self.check_range(OPERATION, dst, bytes);
        self.enqueue(OPERATION, stream, bytes, check, |stream| {
            let driver = self.context.driver;
            // SAFETY: the destination was checked, and the caller retains the source.
            unsafe { cu!(driver, cuMemcpyHtoDAsync(dst.address(), src.cast(), bytes, stream.raw())) }
        })
    }

    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        const OPERATION: &str = "copy_to_host_async";
        let check = || self.check_range(OPERATION, src, bytes);
        self.enqueue(OPERATION, stream, bytes, check, |stream| {
            let driver = self.context.driver;
            // SAFETY: the source was checked, and the caller keeps the destination.
            unsafe { cu!(driver, cuMemcpyDtoHAsync(dst.cast(), src.address(), bytes, stream.raw())) }
        })
    }

    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        const OPERATION: &str = "copy_within_device_async";
        let check = || self.check_ranges(OPERATION, dst, src, bytes);
        // SAFETY: both ranges were checked, and do not overlap; the stream is held.
        self.enqueue(OPERATION, stream, bytes, check, |stream| unsafe {
            self.enqueue_copy(stream.raw(), dst, src, bytes)
        })
    }

    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
        const OPERATION: &str = "copy_2d_async";
        let check = || {
            let [written, read] = rectangle::extents(copy, self.features.max_pitch)?;
            self.check_range(OPERATION, copy.dst, written)?;
            self.check_range(OPERATION, copy.src, read)?;
            rectangle::refuse_overlap(copy)
        };
        self.enqueue(OPERATION, stream, copy.width.min(copy.height), check, |stream| {
            let request = CUDA_MEMCPY2D_st {
                srcXInBytes: 0,
                srcY: 0,
                srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                srcHost: std::ptr::null(),
                srcDevice: copy.src.address(),
                srcArray: std::ptr::null_mut(),
                srcPitch: copy.src_pitch,
                dstXInBytes: 0,
                dstY: 0,
                dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                dstHost: std::ptr::null_mut(),
                dstDevice: copy.dst.address(),
                dstArray: std::ptr::null_mut(),
                dstPitch: copy.dst_pitch,
                WidthInBytes: copy.width,
                Height: copy.height,
            };
            // SAFETY: both rectangles were checked, and do not overlap; the request is read before the call returns.
            unsafe { cu!(self.context.driver, cuMemcpy2DAsync(&raw const request, stream.raw())) }
        })
    }

    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        const OPERATION: &str = "memset";
        let check = || self.check_fill(OPERATION, dst, fill, bytes);
        self.execute(OPERATION, StreamHandle::DEFAULT, bytes, check, |stream| {
            // SAFETY: range, alignment and length were checked; the stream is held.
            unsafe { self.enqueue_fill(stream.raw(), dst, fill, bytes) }?;
            self.wait_for(stream)
        })
    }

    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        const OPERATION: &str = "memset_async";
        let check = || self.check_fill(OPERATION, dst, fill, bytes);
        // SAFETY: range, alignment and length were checked; the stream is held.
        self.enqueue(OPERATION, stream, bytes, check, |stream| unsafe {
            self.enqueue_fill(stream.raw(), dst, fill, bytes)
        })
    }
}

impl CudaBackend {
    /// Looks the stream up, makes the context current, checks, and calls `enqueue`. Nothing but the first where there are
    /// no bytes.
    fn enqueue(
        &self,
        operation: &'static str,
        stream: StreamHandle,
        bytes: usize,
        check: impl FnOnce() -> Result<()>,
        enqueue: impl FnOnce(&StreamInUse) -> Result<()>,
    ) -> Result<()> {
        let stream = self.stream(operation, stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.refuse_unusable(operation, &stream)?;
        check()?;
        enqueue(&stream).map_err(|error| capture_refusal(operation, error))
    }

    /// As [`enqueue`](Self::enqueue), of what must not be captured: the stream does not capture until `execute` returns.
    fn execute(
        &self,
        operation: &'static str,
        stream: StreamHandle,
        bytes: usize,
        check: impl FnOnce() -> Result<()>,
        execute: impl FnOnce(&Uncaptured<'_>) -> Result<()>,
    ) -> Result<()> {
        self.enqueue(operation, stream, bytes, check, |stream| execute(&self.uncaptured(operation, stream)?))
    }

    /// Copies `src` and waits for the stream. The destination is checked, and the context current.
    fn copy_and_wait(&self, stream: &Uncaptured<'_>, dst: DevicePtr, src: &[u8]) -> Result<()> {
        let driver = self.context.driver;
        // SAFETY: the destination was checked, and the source is borrowed until after the wait below.
        let copied = unsafe {
            cu!(driver, cuMemcpyHtoDAsync(dst.address(), src.as_ptr().cast(), src.len(), stream.raw()))
        };
        // After a refusal too, for the slice is the caller's again.
        let waited = self.wait_for(stream);
        copied.and(waited)
    }

    /// Enqueues a copy within the device.
    ///
    /// # Safety
    ///
    /// Both are ranges of this device that do not overlap, the stream is live, and the context current.
    unsafe fn enqueue_copy(
        &self,
        stream: CUstream,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        // SAFETY: the caller answers for it.
        unsafe { cu!(self.context.driver, cuMemcpyDtoDAsync(dst.address(), src.address(), bytes, stream)) }
    }

    /// Enqueues a memset.
    ///
    /// # Safety
    ///
    /// The range is one of this device and fits the fill, the stream is live, and the context current.
    unsafe fn enqueue_fill(&self, stream: CUstream, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        let (driver, dst) = (self.context.driver, dst.address());
        match fill {
            // SAFETY: the caller answers for it, here and below.
            Fill::Byte(byte) => unsafe { cu!(driver, cuMemsetD8Async(dst, byte, bytes, stream)) },
            // SAFETY: as above.
            Fill::Word(word) => unsafe { cu!(driver, cuMemsetD32Async(dst, word, bytes / 4, stream)) },
        }
    }

    fn check_ranges(
        &self,
        operation: &'static str,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        self.check_range(operation, dst, bytes)?;
        self.check_range(operation, src, bytes)?;
        if dst.address().abs_diff(src.address()) >= bytes as u64 {
            return Ok(());
        }
        let problem = MemoryProblem::Overlap { other: src };
        Err(Error::Memory { operation: operation.into(), ptr: dst, bytes, problem })
    }

    fn check_fill(&self, operation: &'static str, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        self.check_range(operation, dst, bytes)?;
        check_fill(operation, dst, fill, bytes)
    }
}

/// Whether a range fits what it is to be filled with.
fn check_fill(operation: &'static str, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
    if matches!(fill, Fill::Byte(_)) {
        return Ok(());
    }
    if !dst.address().is_multiple_of(4) {
        let problem = MemoryProblem::Misaligned { align: 4 };
        return Err(Error::Memory { operation: operation.into(), ptr: dst, bytes, problem });
    }
    if !bytes.is_multiple_of(4) {
        return Err(Error::InvalidArgument {
            operation,
            what: "the number of bytes".into(),
            found: bytes.to_string().into(),
            expected: "a multiple of 4, the size of a word".into(),
        });
    }
    Ok(())
}
