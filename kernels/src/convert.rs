//! Elements of one type as elements of another.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "convert", source = "cuda/convert.cu", image = "ptx/convert.ptx")]
unsafe extern "C" {
    /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
    ///
    /// Shapes: `output` and `input` hold `n` elements.
    ///
    /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
    #[instance("convert<float, __half>", From = f32, To = f16)]
    #[instance("convert<float, __nv_bfloat16>", From = f32, To = bf16)]
    #[instance("convert<__half, float>", From = f16, To = f32)]
    #[instance("convert<__half, __nv_bfloat16>", From = f16, To = bf16)]
    #[instance("convert<__nv_bfloat16, float>", From = bf16, To = f32)]
    #[instance("convert<__nv_bfloat16, __half>", From = bf16, To = f16)]
    #[host(reference::convert)]
    pub unsafe fn convert<From, To>(output: *mut To, input: *const From, n: u32);
}
