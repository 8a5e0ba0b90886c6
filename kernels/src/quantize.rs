//! Rows as 8-bit integers.

use warpcall::kernel;

use crate::reference;

#[kernel(module = "quantize", source = "cuda/quantize.cu", image = "ptx/quantize.ptx")]
unsafe extern "C" {
    /// `scale = max(|input|) / 127` and `output = round(input / scale)`, row by row, ties to even. A row of zeros
    /// has the scale 0. The input must be finite.
    ///
    /// Shapes: `output` and `input` are `[rows, column_count]`, `scales` is `[rows]`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::quantize_int8, launch)]
    pub unsafe fn quantize_int8(output: *mut i8, scales: *mut f32, input: *const f32, column_count: u32);

    /// `output = input * scale`, row by row.
    ///
    /// Shapes: `output` and `input` are `[rows, column_count]`, `scales` is `[rows]`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::dequantize_int8, launch)]
    pub unsafe fn dequantize_int8(output: *mut f32, input: *const i8, scales: *const f32, column_count: u32);
}
