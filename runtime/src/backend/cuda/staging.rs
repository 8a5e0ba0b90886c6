//! Pinned memory through which small copies from the host go, so that their source is read before the call returns.

use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUevent;

use super::CudaBackend;
use super::deferred::Deferred;
use super::driver::{code, cu};
use super::stream::Uncaptured;
use crate::argument::DevicePtr;
use crate::error::Result;

/// The size of a block in bytes: the largest copy that is staged. A longer one waits for the stream, which then costs
/// little beside the copy itself.
const BLOCK_BYTES: usize = 256 << 10;
/// How many blocks there are at most, and so how many copies can be under way.
const BLOCKS: usize = 16;

/// The blocks, allocated as they are needed.
#[derive(Default)]
pub(super) struct Staging(Mutex<Vec<Block>>);

#[derive(Clone, Copy)]
struct Block {
    start: NonNull<u8>,
    /// Recorded after the copy out of the block.
    copied: CUevent,
    /// Whether a thread is filling it, or nothing tells when the copy out of it is done.
    is_taken: bool,
}

// SAFETY: a block is an address that one thread at a time fills, and an event, which any thread may use.
unsafe impl Send for Block {}

impl Staging {
    fn blocks(&self) -> MutexGuard<'_, Vec<Block>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CudaBackend {
    /// Copies `src` to the device through a block; false where it is too long or no block is to be had. The ranges are
    /// checked, and the context is current.
    pub(super) fn copy_staged(&self, stream: &Uncaptured<'_>, dst: DevicePtr, src: &[u8]) -> Result<bool> {
        if src.len() > BLOCK_BYTES {
            return Ok(false);
        }
        let Some((index, block)) = self.take_block() else {
            return Ok(false);
        };
        // SAFETY: the block is at least as long as `src`, this thread alone has it, and the device has read what was in it.
        unsafe { block.start.copy_from_nonoverlapping(NonNull::from(src).cast(), src.len()) };
        let driver = self.context.driver;
        let from = block.start.as_ptr().cast();
        // SAFETY: the range on the device was checked, and the block is rewritten only after the copy is done.
        let enqueued =
            unsafe { cu!(driver, cuMemcpyHtoDAsync(dst.address(), from, src.len(), stream.raw())) };
        // SAFETY: the event is live, and the stream held.
        let mark = || unsafe { cu!(driver, cuEventRecord(block.copied, stream.raw())) };
        let is_marked = enqueued.is_ok() && mark().is_ok();
        // Without the event, only waiting tells that the copy is done. Where that fails too, the block stays taken until the
        // backend is dropped.
        let known = if is_marked { Ok(()) } else { self.wait_for(stream) };
        if known.is_ok() {
            self.staging.blocks()[index].is_taken = false;
        }
        enqueued.and(known).map(|()| true)
    }

    /// A block that nobody uses; `None` where there is none and none can be had, as a copy that waits needs none.
    fn take_block(&self) -> Option<(usize, Block)> {
        let mut blocks = self.staging.blocks();
        let is_free = |block: &Block| {
            // SAFETY: the event is live. One that was never recorded is reached.
            !block.is_taken && unsafe { (self.context.driver.cuEventQuery)(block.copied) } == code::SUCCESS
        };
        let index = match blocks.iter().position(is_free) {
            Some(index) => index,
            None if blocks.len() < BLOCKS => {
                blocks.push(self.new_block()?);
                blocks.len() - 1
            }
            None => return None,
        };
        blocks[index].is_taken = true;
        Some((index, blocks[index]))
    }

    fn new_block(&self) -> Option<Block> {
        let copied = self.new_raw_event(false).ok()?;
        let Ok(start) = self.new_raw_pinned(BLOCK_BYTES) else {
            self.destroy_raw_event(copied);
            return None;
        };
        Some(Block { start, copied, is_taken: false })
    }

    /// Takes the blocks out, to be freed.
    pub(super) fn take_staging(&self) -> Vec<Deferred> {
        let blocks = std::mem::take(&mut *self.staging.blocks());
        let free = |block: Block| {
            self.destroy_raw_event(block.copied);
            Deferred::Pinned(block.start.as_ptr() as usize)
        };
        blocks.into_iter().map(free).collect()
    }

    fn destroy_raw_event(&self, event: CUevent) {
        // SAFETY: the event is live, and nobody uses it any more. There is nobody to report a refusal to.
        let _ = unsafe { cu!(self.context.driver, cuEventDestroy(event)) };
    }
}
