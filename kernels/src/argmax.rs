//! The largest of a row.

use warpcall::kernel;

use crate::reference;

#[kernel(module = "argmax", source = "cuda/argmax.cu", image = "ptx/argmax.ptx")]
unsafe extern "C" {
    /// The column of the largest element of each row. The first of several equal ones wins. NaNs are passed over;
    /// a row of nothing else, or of no columns, gives `u32::MAX`.
    ///
    /// Shapes: `output` is `[rows]`, `input` is `[rows, column_count]`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::argmax, launch)]
    pub unsafe fn argmax(output: *mut u32, input: *const f32, column_count: u32);
}
