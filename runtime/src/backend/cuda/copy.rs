//! Copies and memsets.
//!
//! What the driver promises of each call is in the driver's manual under "API synchronization behavior":
//! a copy from pageable memory may return once the source is staged, with the transfer still under way; one from
//! pinned memory is asynchronous, and so is every memset and every copy within the device, also those whose
//! names do not say so. The operations here that block wait for the stream themselves, since other streams do not
//! wait for the default one.

use cudarc::driver::sys::{CUDA_MEMCPY2D_st, CUmemorytype};

use super::CudaBackend;
use super::driver::{capture_refusal, cu};
use super::handles::StreamInUse;
use super::rectangle;
use crate::argument::DevicePtr;
use crate::backend::{Copy2d, CopyMemory, Fill, StreamHandle};
use crate::error::{Error, MemoryProblem, Result};

impl CopyMemory for CudaBackend {
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const OPERATION: &str = "copy_to_device";
        if src.is_empty() {
            return Ok(());
        }
        self.context.bind()?;
        self.check_range(OPERATION, dst, src.len())?;
        // SAFETY: the source is a slice, and the destination was checked.
        let copied =
            unsafe { cu!(self.context.driver, cuMemcpyHtoD(dst.address(), src.as_ptr().cast(), src.len())) };
        copied.and_then(|()| self.wait_for(&StreamInUse::DEFAULT)).map_err(|e| capture_refusal(OPERATION, e))
    }

    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        const OPERATION: &str = "copy_to_host";
        if dst.is_empty() {
            return Ok(());
        }
        self.context.bind()?;
        self.check_range(OPERATION, src, dst.len())?;
        // SAFETY: the destination is an exclusive slice, and the source was checked. The call returns once the copy is done.
        unsafe { cu!(self.context.driver, cuMemcpyDtoH(dst.as_mut_ptr().cast(), src.address(), dst.len())) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
        const OPERATION: &str = "copy_within_device";
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.check_ranges(OPERATION, dst, src, bytes)?;
        // SAFETY: both ranges were checked, and do not overlap.
        let copied = unsafe { cu!(self.context.driver, cuMemcpyDtoD(dst.address(), src.address(), bytes)) };
        copied.and_then(|()| self.wait_for(&StreamInUse::DEFAULT)).map_err(|e| capture_refusal(OPERATION, e))
    }

    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const OPERATION: &str = "copy_to_device_on";
        let stream = self.stream(OPERATION, stream)?;
        if src.is_empty() {
            return Ok(());
        }
        self.context.bind()?;
        self.refuse_if_capturing(OPERATION, &stream)?;
        self.check_range(OPERATION, dst, src.len())?;
        self.copy_and_wait(&stream, dst, src).map_err(|error| capture_refusal(OPERATION, error))
    }

    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        const OPERATION: &str = "copy_to_host_on";
        let stream = self.stream(OPERATION, stream)?;
        if dst.is_empty() {
            return Ok(());
        }
        self.context.bind()?;
        self.refuse_if_capturing(OPERATION, &stream)?;
        self.check_range(OPERATION, src, dst.len())?;
        // SAFETY: the source was checked, and the exclusive slice is not used before the wait below.
        let copied = unsafe {
            cu!(
                self.context.driver,
                cuMemcpyDtoHAsync(dst.as_mut_ptr().cast(), src.address(), dst.len(), stream.raw())
            )
        };
        // After a refusal too, for the slice is the caller's again.
        let waited = self.wait_for(&stream);
        copied.and(waited).map_err(|error| capture_refusal(OPERATION, error))
    }

    fn copy_to_device_async(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const OPERATION: &str = "copy_to_device_async";
        let stream = self.stream(OPERATION, stream)?;
        if src.is_empty() {
            return Ok(());
        }
        self.context.bind()?;
        // A graph would read the source at each launch, long after the caller may have dropped it.
        self.refuse_if_capturing(OPERATION, &stream)?;
        self.check_range(OPERATION, dst, src.len())?;
        match self.copy_staged(&stream, dst, src) {
            Ok(true) => Ok(()),
            Ok(false) => self.copy_and_wait(&stream, dst, src),
            Err(error) => Err(error),
        }
        .map_err(|error| capture_refusal(OPERATION, error))
    }

    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        const OPERATION: &str = "copy_to_device_retained";
        let stream = self.stream(OPERATION, stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.check_range(OPERATION, dst, bytes)?;
        // SAFETY: the destination was checked, and the caller retains the source.
        unsafe { cu!(self.context.driver, cuMemcpyHtoDAsync(dst.address(), src.cast(), bytes, stream.raw())) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        const OPERATION: &str = "copy_to_host_async";
        let stream = self.stream(OPERATION, stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.check_range(OPERATION, src, bytes)?;
        // SAFETY: the source was checked, and the caller keeps the destination.
        unsafe { cu!(self.context.driver, cuMemcpyDtoHAsync(dst.cast(), src.address(), bytes, stream.raw())) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        const OPERATION: &str = "copy_within_device_async";
        let stream = self.stream(OPERATION, stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.check_ranges(OPERATION, dst, src, bytes)?;
        // SAFETY: both ranges were checked, and do not overlap.
        unsafe {
            cu!(self.context.driver, cuMemcpyDtoDAsync(dst.address(), src.address(), bytes, stream.raw()))
        }
        .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
        const OPERATION: &str = "copy_2d_async";
        let stream = self.stream(OPERATION, stream)?;
        if copy.width == 0 || copy.height == 0 {
            return Ok(());
        }
        let [written, read] = rectangle::extents(copy, self.features.max_pitch)?;
        self.context.bind()?;
        self.check_range(OPERATION, copy.dst, written)?;
        self.check_range(OPERATION, copy.src, read)?;
        rectangle::refuse_overlap(copy)?;
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
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        const OPERATION: &str = "memset";
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.check_range(OPERATION, dst, bytes)?;
        check_fill(OPERATION, dst, fill, bytes)?;
        let driver = self.context.driver;
        let set = match fill {
            // SAFETY: the range was checked.
            Fill::Byte(byte) => unsafe { cu!(driver, cuMemsetD8(dst.address(), byte, bytes)) },
            // SAFETY: range, alignment and length were checked.
            Fill::Word(word) => unsafe { cu!(driver, cuMemsetD32(dst.address(), word, bytes / 4)) },
        };
        set.and_then(|()| self.wait_for(&StreamInUse::DEFAULT)).map_err(|e| capture_refusal(OPERATION, e))
    }

    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        const OPERATION: &str = "memset_async";
        let stream = self.stream(OPERATION, stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.bind()?;
        self.check_range(OPERATION, dst, bytes)?;
        check_fill(OPERATION, dst, fill, bytes)?;
        let driver = self.context.driver;
        match fill {
            // SAFETY: the range was checked.
            Fill::Byte(byte) => unsafe {
                cu!(driver, cuMemsetD8Async(dst.address(), byte, bytes, stream.raw()))
            },
            // SAFETY: range, alignment and length were checked.
            Fill::Word(word) => unsafe {
                cu!(driver, cuMemsetD32Async(dst.address(), word, bytes / 4, stream.raw()))
            },
        }
        .map_err(|error| capture_refusal(OPERATION, error))
    }
}

impl CudaBackend {
    /// Copies `src` and waits for the stream. The destination is checked, and the context current.
    fn copy_and_wait(&self, stream: &StreamInUse, dst: DevicePtr, src: &[u8]) -> Result<()> {
        // SAFETY: the destination was checked, and the source is borrowed until after the wait below.
        let copied = unsafe {
            cu!(
                self.context.driver,
                cuMemcpyHtoDAsync(dst.address(), src.as_ptr().cast(), src.len(), stream.raw())
            )
        };
        // After a refusal too, for the slice is the caller's again.
        let waited = self.wait_for(stream);
        copied.and(waited)
    }

    /// Waits for a stream that does not capture. The context is current.
    fn wait_for(&self, stream: &StreamInUse) -> Result<()> {
        // SAFETY: the stream is held.
        unsafe { cu!(self.context.driver, cuStreamSynchronize(stream.raw())) }
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
}

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
