//! Normalisation of rows.

use warpcall::HostLaunch;

use super::Element;

/// Root-mean-square normalisation: `output = input / sqrt(mean(input^2) + eps) * weight`, row by
/// row, for `grid.x` rows.
///
/// `output` and `input` are `[rows, hidden_size]`, `weight` is `[hidden_size]`.
///
/// ```
/// use half::f16;
/// use warpcall::{HostLaunch, LaunchConfig};
/// use warpcall_kernels::reference::rms_norm;
///
/// let input = [3.0, -3.0].map(f16::from_f32);
/// let weight = [1.0, 2.0].map(f16::from_f32);
/// let mut output = [f16::ZERO; 2];
/// let launch = HostLaunch::new(LaunchConfig::new(1, 32));
/// rms_norm(&launch, &mut output, &input, &weight, 2, 0.0);
/// assert_eq!(output, [1.0, -2.0].map(f16::from_f32));
/// ```
pub fn rms_norm<T: Element>(
    launch: &HostLaunch<'_>,
    output: &mut [T],
    input: &[T],
    weight: &[T],
    hidden_size: u32,
    eps: f32,
) {
    let width = hidden_size as usize;
    for row in 0..launch.grid().x as usize {
        let input = &input[row * width..][..width];
        rms_norm_row(&mut output[row * width..][..width], input, &weight[..width], eps);
    }
}

/// `residual += input`, then `output = rms_norm(residual)`, row by row, for `grid.x` rows. The sum
/// is rounded to the element type before it is normalised.
///
/// `output`, `residual` and `input` are `[rows, hidden_size]`, `weight` is `[hidden_size]`.
pub fn add_rms_norm<T: Element>(
    launch: &HostLaunch<'_>,
    output: &mut [T],
    residual: &mut [T],
    input: &[T],
    weight: &[T],
    hidden_size: u32,
    eps: f32,
) {
    let width = hidden_size as usize;
    for row in 0..launch.grid().x as usize {
        let residual = &mut residual[row * width..][..width];
        for (sum, input) in residual.iter_mut().zip(&input[row * width..][..width]) {
            *sum = T::from_f32(sum.to_f32() + input.to_f32());
        }
        rms_norm_row(&mut output[row * width..][..width], residual, &weight[..width], eps);
    }
}

/// Layer normalisation: `output = (input - mean) / sqrt(variance + eps) * weight + bias`, row by
/// row, for `grid.x` rows. The variance is the population's.
///
/// `output` and `input` are `[rows, hidden_size]`, `weight` and `bias` are `[hidden_size]`.
pub fn layer_norm<T: Element>(
    launch: &HostLaunch<'_>,
    output: &mut [T],
    input: &[T],
    weight: &[T],
    bias: &[T],
    hidden_size: u32,
    eps: f32,
) {
    let width = hidden_size as usize;
    let count = hidden_size as f32;
    let (weight, bias) = (&weight[..width], &bias[..width]);
    for row in 0..launch.grid().x as usize {
        let input = &input[row * width..][..width];
        let mean = input.iter().map(|x| x.to_f32()).sum::<f32>() / count;
        let variance = input.iter().map(|x| (x.to_f32() - mean).powi(2)).sum::<f32>() / count;
        let scale = 1.0 / (variance + eps).sqrt();
        let output = &mut output[row * width..][..width];
        for (((output, x), weight), bias) in output.iter_mut().zip(input).zip(weight).zip(bias) {
            let scaled = (x.to_f32() - mean) * scale;
            *output = T::from_f32(scaled.mul_add(weight.to_f32(), bias.to_f32()));
        }
    }
}

fn rms_norm_row<T: Element>(output: &mut [T], input: &[T], weight: &[T], eps: f32) {
    let squares = input.iter().map(|x| x.to_f32() * x.to_f32()).sum::<f32>();
    let scale = 1.0 / (squares / input.len() as f32 + eps).sqrt();
    for ((output, x), weight) in output.iter_mut().zip(input).zip(weight) {
        *output = T::from_f32(x.to_f32() * scale * weight.to_f32());
    }
}
