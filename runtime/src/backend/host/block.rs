use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// The alignment of every block: what device allocations have on CUDA.
pub(super) const BLOCK_ALIGN: usize = 256;

/// A piece of the host's memory that stands for device memory. Always initialised, never referenced:
/// its bytes are reached through raw pointers alone, since several accesses may be open at once.
#[derive(Debug)]
pub(super) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block owns its bytes; nothing about them is tied to a thread.
unsafe impl Send for Block {}
// SAFETY: a shared block gives out nothing but a raw pointer.
unsafe impl Sync for Block {}

impl Block {
    /// `bytes` bytes, each `fill`. `None` where the host has not that much.
    pub(super) fn new(bytes: usize, fill: u8) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), BLOCK_ALIGN).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { if fill == 0 { alloc_zeroed(layout) } else { alloc(layout) } })?;
        if fill != 0 {
            // SAFETY: `layout.size()` bytes were just allocated.
            unsafe { start.write_bytes(fill, layout.size()) };
        }
        Some(Self { start, layout })
    }

    /// A copy of `bytes` bytes at `source`. `None` where the host has not that much.
    ///
    /// # Safety
    ///
    /// `source` is valid for reads of `bytes` bytes, all initialised.
    pub(super) unsafe fn copy_of(source: *const u8, bytes: usize) -> Option<Self> {
        let block = Self::new(bytes, 0)?;
        // SAFETY: the caller answers for the source, and the block has as many bytes and is new.
        unsafe { source.copy_to_nonoverlapping(block.as_ptr(), bytes) };
        Some(block)
    }

    /// Its first byte.
    pub(super) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout, and nothing else frees it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
