//! Normalisation of rows, one block a row.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "norm", source = "cuda/norm.cu", image = "ptx/norm.ptx")]
unsafe extern "C" {
    /// Root-mean-square normalisation: `output = input / sqrt(mean(input²) + eps) * weight`, row by row.
    ///
    /// Shapes: `output` and `input` are `[rows, hidden_size]`, `weight` is `[hidden_size]`. `output` may be
    /// `input`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::rms_norm::<f32>, launch)]
    pub unsafe fn rms_norm(
        output: *mut f32,
        input: *const f32,
        weight: *const f32,
        hidden_size: u32,
        eps: f32,
    );

    /// As [`launch_rms_norm`], of `f16`.
    #[host(reference::rms_norm::<f16>, launch)]
    pub unsafe fn rms_norm_f16(
        output: *mut f16,
        input: *const f16,
        weight: *const f16,
        hidden_size: u32,
        eps: f32,
    );

    /// As [`launch_rms_norm`], of `bf16`.
    #[host(reference::rms_norm::<bf16>, launch)]
    pub unsafe fn rms_norm_bf16(
        output: *mut bf16,
        input: *const bf16,
        weight: *const bf16,
        hidden_size: u32,
        eps: f32,
    );

    /// `residual += input`, then `output = rms_norm(residual)`, row by row. The sum is rounded to the element
    /// type before it is normalised.
    ///
    /// Shapes: `output`, `residual` and `input` are `[rows, hidden_size]`, `weight` is `[hidden_size]`. `output`
    /// may be `input`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::add_rms_norm::<f32>, launch)]
    pub unsafe fn add_rms_norm(
        output: *mut f32,
        residual: *mut f32,
        input: *const f32,
        weight: *const f32,
        hidden_size: u32,
        eps: f32,
    );

    /// As [`launch_add_rms_norm`], of `f16`.
    #[host(reference::add_rms_norm::<f16>, launch)]
    pub unsafe fn add_rms_norm_f16(
        output: *mut f16,
        residual: *mut f16,
        input: *const f16,
        weight: *const f16,
        hidden_size: u32,
        eps: f32,
    );

    /// As [`launch_add_rms_norm`], of `bf16`.
    #[host(reference::add_rms_norm::<bf16>, launch)]
    pub unsafe fn add_rms_norm_bf16(
        output: *mut bf16,
        residual: *mut bf16,
        input: *const bf16,
        weight: *const bf16,
        hidden_size: u32,
        eps: f32,
    );

    /// Layer normalisation: `output = (input - mean) / sqrt(variance + eps) * weight + bias`, row by row.
    ///
    /// Shapes: `output` and `input` are `[rows, hidden_size]`, `weight` and `bias` are `[hidden_size]`. `output`
    /// may be `input`.
    ///
    /// Launch: grid `[rows, 1, 1]`; any block, a multiple of 32 up to 1024.
    #[host(reference::layer_norm::<f32>, launch)]
    pub unsafe fn layer_norm(
        output: *mut f32,
        input: *const f32,
        weight: *const f32,
        bias: *const f32,
        hidden_size: u32,
        eps: f32,
    );

    /// As [`launch_layer_norm`], of `f16`.
    #[host(reference::layer_norm::<f16>, launch)]
    pub unsafe fn layer_norm_f16(
        output: *mut f16,
        input: *const f16,
        weight: *const f16,
        bias: *const f16,
        hidden_size: u32,
        eps: f32,
    );

    /// As [`launch_layer_norm`], of `bf16`.
    #[host(reference::layer_norm::<bf16>, launch)]
    pub unsafe fn layer_norm_bf16(
        output: *mut bf16,
        input: *const bf16,
        weight: *const bf16,
        bias: *const bf16,
        hidden_size: u32,
        eps: f32,
    );
}
