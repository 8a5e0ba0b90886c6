//! Symmetric 8-bit quantisation with one scale a row.

use warpcall::HostLaunch;

/// `scale = max(|input|) / 127` and `output = round(input / scale)`, row by row, ties to even, for
/// `grid.x` rows. A row of zeros has the scale 0. The input must be finite.
///
/// `output` and `input` are `[rows, column_count]`, `scales` is `[rows]`.
pub fn quantize_int8(
    launch: &HostLaunch<'_>,
    output: &mut [i8],
    scales: &mut [f32],
    input: &[f32],
    column_count: u32,
) {
    let width = column_count as usize;
    for (row, scale) in scales[..launch.grid().x as usize].iter_mut().enumerate() {
        let input = &input[row * width..][..width];
        *scale = input.iter().fold(0.0, |largest: f32, x| largest.max(x.abs())) / 127.0;
        for (output, x) in output[row * width..][..width].iter_mut().zip(input) {
            *output = quantized(*x, *scale);
        }
    }
}

/// `output = input * scale`, row by row, for `grid.x` rows.
///
/// `output` and `input` are `[rows, column_count]`, `scales` is `[rows]`.
pub fn dequantize_int8(
    launch: &HostLaunch<'_>,
    output: &mut [f32],
    input: &[i8],
    scales: &[f32],
    column_count: u32,
) {
    let width = column_count as usize;
    for (row, scale) in scales[..launch.grid().x as usize].iter().enumerate() {
        let input = &input[row * width..][..width];
        for (output, x) in output[row * width..][..width].iter_mut().zip(input) {
            *output = f32::from(*x) * scale;
        }
    }
}

// The clamp keeps the value within an `i8`.
#[allow(clippy::cast_possible_truncation)]
fn quantized(value: f32, scale: f32) -> i8 {
    let rounded = if scale == 0.0 { 0.0 } else { (value / scale).round_ties_even() };
    rounded.clamp(-127.0, 127.0) as i8
}
