//! The scaled sum of two vectors.

use warpcall::kernel;

use crate::reference;

#[kernel(module = "saxpy", source = "cuda/saxpy.cu", image = "ptx/saxpy.ptx")]
unsafe extern "C" {
    /// `y[i] += a * x[i]` for every `i < n`.
    ///
    /// Shapes: `y` and `x` hold `n` elements.
    ///
    /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
    #[host(reference::saxpy)]
    pub unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: u32);
}
