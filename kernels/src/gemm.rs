//! Matrix times matrix.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "gemm", source = "cuda/gemm.cu", image = "ptx/gemm.ptx")]
unsafe extern "C" {
    /// `c = alpha * a * b + beta * c`, with sums in `f32`. With a `beta` of 0 `c` is written and never read.
    ///
    /// Shapes: all by rows: `c` is `[m, n]`, `a` is `[m, k]`, `b` is `[k, n]`.
    ///
    /// Launch: any grid of two dimensions, `[ceil(n / 64), ceil(m / 64), 1]` for one tile a block; the block is
    /// `[256, 1, 1]` and no other.
    #[host(reference::gemm::<f32>)]
    pub unsafe fn gemm(
        c: *mut f32,
        a: *const f32,
        b: *const f32,
        m: u32,
        n: u32,
        k: u32,
        alpha: f32,
        beta: f32,
    );

    /// As [`launch_gemm`], of `f16`.
    #[host(reference::gemm::<f16>)]
    pub unsafe fn gemm_f16(
        c: *mut f16,
        a: *const f16,
        b: *const f16,
        m: u32,
        n: u32,
        k: u32,
        alpha: f32,
        beta: f32,
    );

    /// As [`launch_gemm`], of `bf16`.
    #[host(reference::gemm::<bf16>)]
    pub unsafe fn gemm_bf16(
        c: *mut bf16,
        a: *const bf16,
        b: *const bf16,
        m: u32,
        n: u32,
        k: u32,
        alpha: f32,
        beta: f32,
    );
}
