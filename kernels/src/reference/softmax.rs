//! Softmax of rows.

use warpcall::HostLaunch;

use super::Element;

/// `output = exp(input - max(input)) / sum(exp(input - max(input)))`, row by row, for `grid.x`
/// rows. An element of -infinity gives 0; a row of nothing else gives NaN.
///
/// `output` and `input` are `[rows, column_count]`.
pub fn softmax<T: Element>(launch: &HostLaunch<'_>, output: &mut [T], input: &[T], column_count: u32) {
    let width = column_count as usize;
    for row in 0..launch.grid().x as usize {
        let input = &input[row * width..][..width];
        let largest = input.iter().map(|x| x.to_f32()).fold(f32::NEG_INFINITY, f32::max);
        let sum = input.iter().map(|x| (x.to_f32() - largest).exp()).sum::<f32>();
        for (output, x) in output[row * width..][..width].iter_mut().zip(input) {
            *output = T::from_f32((x.to_f32() - largest).exp() / sum);
        }
    }
}
