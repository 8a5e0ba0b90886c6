//! Pinned memory through which small copies from the host go, so that their source is read before the call returns.

use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUevent;

use super::CudaBackend;
use super::driver::{code, cu};
use super::handles::StreamInUse;
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
    /// Whether a thread is filling it.
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
    /// Copies `src` to the device through a block; false where it is too long or every block is in use. The
    /// ranges are checked, the stream does not capture, and the context is current.
    pub(super) fn copy_staged(&self, stream: &StreamInUse, dst: DevicePtr, src: &[u8]) -> Result<bool> {
        if src.len() > BLOCK_BYTES {
            return Ok(false);
        }
        let Some((index, block)) = self.take_block()? else {
            return Ok(false);
        };
        // SAFETY: the block is at least as long as `src`, this thread alone has it, and the device has read what was in it.
        unsafe { block.start.copy_from_nonoverlapping(NonNull::from(src).cast(), src.len()) };
        let driver = self.context.driver;
        // SAFETY: the range on the device was checked, and the block is rewritten only after the event is reached.
        let copied = unsafe {
            cu!(
                driver,
                cuMemcpyHtoDAsync(dst.address(), block.start.as_ptr().cast(), src.len(), stream.raw())
            )
        }
        // SAFETY: the event is live, and the stream held.
        .and_then(|()| unsafe { cu!(driver, cuEventRecord(block.copied, stream.raw())) });
        self.staging.blocks()[index].is_taken = false;
        copied.map(|()| true)
    }

    /// A block that nobody uses.
    fn take_block(&self) -> Result<Option<(usize, Block)>> {
        let mut blocks = self.staging.blocks();
        let is_free = |block: &Block| {
            // SAFETY: the event is live. One that was never recorded is reached.
            !block.is_taken && unsafe { (self.context.driver.cuEventQuery)(block.copied) } == code::SUCCESS
        };
        let index = match blocks.iter().position(is_free) {
            Some(index) => index,
            None if blocks.len() < BLOCKS => {
                let copied = self.new_raw_event(false)?;
                let Ok(start) = self.new_raw_pinned(BLOCK_BYTES) else {
                    // SAFETY: the event was just created, and nothing uses it.
                    let _ = unsafe { cu!(self.context.driver, cuEventDestroy(copied)) };
                    // Without a block the copy waits instead, which needs none.
                    return Ok(None);
                };
                blocks.push(Block { start, copied, is_taken: false });
                blocks.len() - 1
            }
            None => return Ok(None),
        };
        blocks[index].is_taken = true;
        Ok(Some((index, blocks[index])))
    }

    /// Frees the blocks. The device is idle.
    pub(super) fn free_staging(&self) {
        for block in self.staging.blocks().drain(..) {
            // SAFETY: the event is live, and nothing uses it any more.
            let _ = unsafe { cu!(self.context.driver, cuEventDestroy(block.copied)) };
            self.free_raw_pinned(block.start.as_ptr() as usize);
        }
    }
}
