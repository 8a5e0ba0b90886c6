//! Softmax of rows.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "softmax", source = "cuda/softmax.cu", image = "ptx/softmax.ptx")]
unsafe extern "C" {
    /// `output = exp(input - max(input)) / sum(exp(input - max(input)))`, row by row. An element of -infinity
    /// gives 0; a row of nothing else gives NaN.
    ///
    /// Shapes: `output` and `input` are `[rows, column_count]`. `output` may be `input`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::softmax::<f32>, launch)]
    pub unsafe fn softmax(output: *mut f32, input: *const f32, column_count: u32);

    /// As [`launch_softmax`], of `f16`.
    #[host(reference::softmax::<f16>, launch)]
    pub unsafe fn softmax_f16(output: *mut f16, input: *const f16, column_count: u32);

    /// As [`launch_softmax`], of `bf16`.
    #[host(reference::softmax::<bf16>, launch)]
    pub unsafe fn softmax_bf16(output: *mut bf16, input: *const bf16, column_count: u32);
}
