//! Matrix times vector.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "gemv", source = "cuda/gemv.cu", image = "ptx/gemv.ptx")]
unsafe extern "C" {
    /// `output = matrix * vector`, with sums in `f32`.
    ///
    /// Shapes: `output` is `[row_count]`, `matrix` is `[row_count, column_count]` by rows, `vector` is
    /// `[column_count]`.
    ///
    /// Launch: any grid, `ceil(row_count / (block / 32))` for one row a warp; any block, a multiple of 32 up to
    /// 1024.
    #[host(reference::gemv::<f32>)]
    pub unsafe fn gemv(
        output: *mut f32,
        matrix: *const f32,
        vector: *const f32,
        row_count: u32,
        column_count: u32,
    );

    /// As [`launch_gemv`], of `f16`.
    #[host(reference::gemv::<f16>)]
    pub unsafe fn gemv_f16(
        output: *mut f16,
        matrix: *const f16,
        vector: *const f16,
        row_count: u32,
        column_count: u32,
    );

    /// As [`launch_gemv`], of `bf16`.
    #[host(reference::gemv::<bf16>)]
    pub unsafe fn gemv_bf16(
        output: *mut bf16,
        matrix: *const bf16,
        vector: *const bf16,
        row_count: u32,
        column_count: u32,
    );
}
