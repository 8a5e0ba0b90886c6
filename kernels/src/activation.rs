//! Activations of a feed-forward layer.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "activation", source = "cuda/activation.cu", image = "ptx/activation.ptx")]
unsafe extern "C" {
    /// `output = gate * sigmoid(gate) * up`: the gated unit of a SwiGLU feed-forward layer.
    ///
    /// Shapes: `output`, `gate` and `up` hold `n` elements. `output` may be `gate` or `up`.
    ///
    /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
    #[host(reference::silu_mul::<f32>)]
    pub unsafe fn silu_mul(output: *mut f32, gate: *const f32, up: *const f32, n: u32);

    /// As [`launch_silu_mul`], of `f16`.
    #[host(reference::silu_mul::<f16>)]
    pub unsafe fn silu_mul_f16(output: *mut f16, gate: *const f16, up: *const f16, n: u32);

    /// As [`launch_silu_mul`], of `bf16`.
    #[host(reference::silu_mul::<bf16>)]
    pub unsafe fn silu_mul_bf16(output: *mut bf16, gate: *const bf16, up: *const bf16, n: u32);

    /// `output = 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x³)))`: GELU in its tanh form.
    ///
    /// Shapes: `output` and `input` hold `n` elements. `output` may be `input`.
    ///
    /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
    #[host(reference::gelu::<f32>)]
    pub unsafe fn gelu(output: *mut f32, input: *const f32, n: u32);

    /// As [`launch_gelu`], of `f16`.
    #[host(reference::gelu::<f16>)]
    pub unsafe fn gelu_f16(output: *mut f16, input: *const f16, n: u32);

    /// As [`launch_gelu`], of `bf16`.
    #[host(reference::gelu::<bf16>)]
    pub unsafe fn gelu_bf16(output: *mut bf16, input: *const bf16, n: u32);
}
