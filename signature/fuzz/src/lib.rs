//! What the fuzz targets share: the memory that a reader takes is counted, and must stay in proportion to its input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes that a reader may take for each byte of its input.
const BYTES_A_BYTE: usize = 100;
/// What it may take whatever the input is.
const CONSTANT: usize = 1 << 20;

struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn take(bytes: usize) {
    let taken = TAKEN.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(taken, Relaxed);
}

// SAFETY: all memory comes from the system's allocator and goes back there; what is added only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of this method, which is that of the allocator behind it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        take(size);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a reader, and panics where it took more than a hundred bytes for each byte of `input`, a mebibyte and `more`.
pub fn within_memory<T>(input: usize, more: usize, read: impl FnOnce() -> T) {
    let before = TAKEN.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = read();
    let taken = MOST.load(Relaxed) - before;
    drop(result);
    let allowed = BYTES_A_BYTE * input + CONSTANT + more;
    assert!(taken <= allowed, "{taken} bytes of memory for an input of {input} bytes; {allowed} are allowed");
}
