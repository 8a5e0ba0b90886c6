//! Activations, element by element.

use std::f32::consts::FRAC_1_SQRT_2;
use std::f32::consts::FRAC_2_SQRT_PI;

use super::Element;

/// `output = gate * sigmoid(gate) * up`: the gated unit of a `SwiGLU` feed-forward layer.
///
/// `output`, `gate` and `up` hold at least `n` elements.
pub fn silu_mul<T: Element>(output: &mut [T], gate: &[T], up: &[T], n: u32) {
    let n = n as usize;
    for ((output, gate), up) in output[..n].iter_mut().zip(&gate[..n]).zip(&up[..n]) {
        let x = gate.to_f32();
        *output = T::from_f32(x / (1.0 + (-x).exp()) * up.to_f32());
    }
}

/// `output = 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`: GELU in its tanh form,
/// not the one with the error function.
///
/// `output` and `input` hold at least `n` elements.
pub fn gelu<T: Element>(output: &mut [T], input: &[T], n: u32) {
    // sqrt(2 / pi)
    const SCALE: f32 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
    let n = n as usize;
    for (output, x) in output[..n].iter_mut().zip(&input[..n]) {
        let x = x.to_f32();
        let inner = SCALE * (x + 0.044_715 * x * x * x);
        *output = T::from_f32(0.5 * x * (1.0 + inner.tanh()));
    }
}
