//! Elements of one type as elements of another.

use super::Element;

/// `output[i] = input[i]`, rounded to the nearest element, ties to even.
///
/// `output` and `input` hold at least `n` elements.
pub fn convert<From: Element, To: Element>(output: &mut [To], input: &[From], n: u32) {
    let n = n as usize;
    for (output, input) in output[..n].iter_mut().zip(&input[..n]) {
        *output = To::from_f32(input.to_f32());
    }
}
