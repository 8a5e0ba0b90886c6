use crate::argument::DevicePtr;
use crate::backend::host::HostBackend;
use crate::backend::host::memory::Region;
use crate::backend::host::state::State;
use crate::backend::host::work::{Retained, Work};
use crate::backend::{Copy2d, CopyMemory, Fill, StreamHandle};
use crate::error::{Error, MemoryProblem, Result};

const BLOCKING: &str = "copy before the capture begins, or use the retained form, which a graph records";

impl CopyMemory for HostBackend {
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.copy_in("copy_to_device", StreamHandle::DEFAULT, dst, src)
    }

    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        self.copy_out("copy_to_host", StreamHandle::DEFAULT, dst, src)
    }

    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
        let work = (bytes > 0).then_some(Work::CopyWithin { dst, src, bytes });
        self.do_on("copy_within_device", StreamHandle::DEFAULT, work)
    }

    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.copy_in("copy_to_device_on", stream, dst, src)
    }

    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        self.copy_out("copy_to_host_on", stream, dst, src)
    }

    fn copy_to_device_async(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        const NAME: &str = "copy_to_device_async";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        state.refuse_if_capturing(NAME, number, BLOCKING)?;
        if src.is_empty() {
            return Ok(());
        }
        apart(NAME, &state.memory.device_range(NAME, dst, src.len())?, src)?;
        state.enqueue(NAME, stream, Work::CopyIn { dst, bytes: src.into() })
    }

    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        let src = Retained(src.cast_mut());
        let work = (bytes > 0).then_some(Work::CopyInRetained { dst, src, bytes });
        self.enqueue_on("copy_to_device_retained", stream, work)
    }

    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        let dst = Retained(dst);
        self.enqueue_on(
            "copy_to_host_async",
            stream,
            (bytes > 0).then_some(Work::CopyOut { dst, src, bytes }),
        )
    }

    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        let work = (bytes > 0).then_some(Work::CopyWithin { dst, src, bytes });
        self.enqueue_on("copy_within_device_async", stream, work)
    }

    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
        let work = (copy.width > 0 && copy.height > 0).then_some(Work::CopyRectangle(*copy));
        self.enqueue_on("copy_2d_async", stream, work)
    }

    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        let work = (bytes > 0).then_some(Work::Memset { dst, fill, bytes });
        self.do_on("memset", StreamHandle::DEFAULT, work)
    }

    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        self.enqueue_on("memset_async", stream, (bytes > 0).then_some(Work::Memset { dst, fill, bytes }))
    }
}

impl HostBackend {
    /// Enqueues work, if there is any; the stream must be live all the same.
    fn enqueue_on(&self, operation: &'static str, stream: StreamHandle, work: Option<Work>) -> Result<()> {
        let mut state = self.gate.enter(operation)?;
        match work {
            Some(work) => state.enqueue(operation, stream, work),
            None => state.stream(operation, stream).map(drop),
        }
    }

    /// Does work at once, after what is enqueued on the stream.
    fn do_on(&self, operation: &'static str, stream: StreamHandle, work: Option<Work>) -> Result<()> {
        let mut state = self.gate.enter(operation)?;
        let Some(work) = work else { return Ok(()) };
        work.check(operation, &state.memory)?;
        finish(&mut state, operation, stream)?;
        work.execute(&state.memory)
    }

    fn copy_in(
        &self,
        operation: &'static str,
        stream: StreamHandle,
        dst: DevicePtr,
        src: &[u8],
    ) -> Result<()> {
        let mut state = self.gate.enter(operation)?;
        if src.is_empty() {
            return finish(&mut state, operation, stream);
        }
        let region = state.memory.device_range(operation, dst, src.len())?;
        apart(operation, &region, src)?;
        finish(&mut state, operation, stream)?;
        // SAFETY: the region has as many bytes, lies apart from the source, and only this thread, which
        // holds the lock, could free it.
        unsafe { region.host.copy_from_nonoverlapping(src.as_ptr(), src.len()) };
        Ok(())
    }

    fn copy_out(
        &self,
        operation: &'static str,
        stream: StreamHandle,
        dst: &mut [u8],
        src: DevicePtr,
    ) -> Result<()> {
        let mut state = self.gate.enter(operation)?;
        if dst.is_empty() {
            return finish(&mut state, operation, stream);
        }
        let region = state.memory.device_range(operation, src, dst.len())?;
        apart(operation, &region, dst)?;
        finish(&mut state, operation, stream)?;
        // SAFETY: as for `copy_in`.
        unsafe { region.host.copy_to_nonoverlapping(dst.as_mut_ptr(), dst.len()) };
        Ok(())
    }
}

/// Does all that is enqueued on a stream, which must not be capturing.
fn finish(state: &mut State, operation: &'static str, stream: StreamHandle) -> Result<()> {
    let stream = state.stream(operation, stream)?;
    state.refuse_if_capturing(operation, stream, BLOCKING)?;
    state.finish(stream)
}

/// That a range of device memory is not the host memory it is copied from or to: managed memory that the caller
/// holds a slice of.
fn apart(operation: &'static str, region: &Region, slice: &[u8]) -> Result<()> {
    let (device, host) = (region.host.addr(), slice.as_ptr().addr());
    if device < host + slice.len() && host < device + region.bytes {
        return Err(Error::Memory {
            operation: operation.into(),
            ptr: region.ptr,
            bytes: region.bytes,
            problem: MemoryProblem::Overlap { other: DevicePtr::new(host as u64) },
        });
    }
    Ok(())
}
