//! Kernels that reduce rows, a block a row.

// SAFETY of each launch: its buffers are as long as the shapes in the kernel's documentation say, or longer.
#![allow(clippy::undocumented_unsafe_blocks)]

use fastrand::Rng;
use warpcall::LaunchConfig;
use warpcall_kernels::{argmax, quantize};

use super::{BEHIND, Case, Element, block, both_written, case, elements, size, sum_of, unwritten, written};
use crate::compare::{Allowed, Output};

pub(crate) fn rms_norm<T: Element>(rng: &mut Rng, step: usize) -> Case {
    let (rows, width) = (rng.u32(1..6), size(rng, step, 8191));
    let input: Vec<T> = elements(rng, rows * width, 3.0);
    let weight: Vec<T> = elements(rng, width, 2.0);
    let config = LaunchConfig::new(rows, block(rng));
    let allowed = Allowed::OfItself { roundings: 8.0 + sum_of(width), length: input.len() };
    case(format!("{rows} rows of {width}"), [allowed], move |gpu, stream| {
        let (input, weight) = (gpu.upload(&input)?, gpu.upload(&weight)?);
        written(gpu, stream, "output", &unwritten::<T>(rows * width), |output| unsafe {
            T::rms_norm(stream, config, output, &input, &weight, width, 1e-5)
        })
    })
}

pub(crate) fn add_rms_norm<T: Element>(rng: &mut Rng, step: usize) -> Case {
    let (rows, width) = (rng.u32(1..6), size(rng, step, 8191));
    let [input, residual] = [(); 2].map(|()| elements::<T>(rng, rows * width, 3.0));
    let residual = [residual, unwritten(0)].concat();
    let weight: Vec<T> = elements(rng, width, 2.0);
    let config = LaunchConfig::new(rows, block(rng));
    let normed = Allowed::OfItself { roundings: 8.0 + sum_of(width), length: input.len() };
    // The sum is one rounding, the same one everywhere.
    case(format!("{rows} rows of {width}"), [normed, Allowed::Nothing], move |gpu, stream| {
        let (input, weight) = (gpu.upload(&input)?, gpu.upload(&weight)?);
        let before = [&unwritten(rows * width)[..], &residual];
        both_written(gpu, stream, ["output", "residual"], before, |output, residual| unsafe {
            T::add_rms_norm(stream, config, output, residual, &input, &weight, width, 1e-5)
        })
    })
}

pub(crate) fn layer_norm<T: Element>(rng: &mut Rng, step: usize) -> Case {
    let (rows, width, eps) = (rng.u32(1..6), size(rng, step, 8191), 1e-3);
    let shift = if step.is_multiple_of(2) { 0.0 } else { 5.0 };
    let input: Vec<T> =
        elements::<f32>(rng, rows * width, 3.0).iter().map(|x| T::from_f32(x + shift)).collect();
    let [weight, bias] = [(); 2].map(|()| elements::<T>(rng, width, 2.0));
    let config = LaunchConfig::new(rows, block(rng));
    let count = f64::from(width);
    let magnitudes = input.chunks(width as usize).flat_map(|row| {
        let row: Vec<f64> = row.iter().map(|x| x.exact()).collect();
        let mean = row.iter().sum::<f64>() / count;
        let deviation = (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count + f64::from(eps)).sqrt();
        // The mean is as wrong as the sum of all magnitudes is, and carries over to each element.
        let spread = row.iter().map(|x| x.abs()).sum::<f64>() / count;
        let scaled = weight.iter().zip(&bias).zip(row).map(move |((weight, bias), x)| {
            (spread + (x - mean).abs()) / deviation * weight.exact().abs() + bias.exact().abs()
        });
        scaled.collect::<Vec<_>>()
    });
    let allowed = Allowed::Of { roundings: 8.0 + sum_of(width), magnitudes: magnitudes.collect() };
    case(format!("{rows} rows of {width}, shifted by {shift}"), [allowed], move |gpu, stream| {
        let (input, weight, bias) = (gpu.upload(&input)?, gpu.upload(&weight)?, gpu.upload(&bias)?);
        written(gpu, stream, "output", &unwritten::<T>(rows * width), |output| unsafe {
            T::layer_norm(stream, config, output, &input, &weight, &bias, width, eps)
        })
    })
}

pub(crate) fn softmax<T: Element>(rng: &mut Rng, step: usize) -> Case {
    let (rows, width) = (rng.u32(1..6), size(rng, step, 8191));
    let mut input: Vec<T> = elements(rng, rows * width, 4.0);
    // A masked element, beside others that are not.
    if width > 2 {
        input[rng.usize(..width as usize)] = T::from_f32(f32::NEG_INFINITY);
    }
    let config = LaunchConfig::new(rows, block(rng));
    let allowed = Allowed::OfItself { roundings: 16.0 + sum_of(width), length: input.len() };
    case(format!("{rows} rows of {width}"), [allowed], move |gpu, stream| {
        let input = gpu.upload(&input)?;
        written(gpu, stream, "output", &unwritten::<T>(rows * width), |output| unsafe {
            T::softmax(stream, config, output, &input, width)
        })
    })
}

pub(crate) fn argmax(rng: &mut Rng, step: usize) -> Case {
    let (rows, width) = (rng.u32(1..9), size(rng, step, 9001));
    // Few different values, so that the largest comes up several times; and no numbers at all in one row.
    let mut input: Vec<f32> = (0..rows * width).map(|_| f32::from(rng.i8(-20..20))).collect();
    let masked = rng.usize(..input.len());
    input[masked] = f32::NAN;
    if step == 4 {
        input[..width as usize].fill(f32::NAN);
    }
    let config = LaunchConfig::new(rows, block(rng));
    case(format!("{rows} rows of {width}"), [Allowed::Nothing], move |gpu, stream| {
        let input = gpu.upload(&input)?;
        written(gpu, stream, "output", &vec![77_u32; rows as usize + BEHIND], |output| unsafe {
            argmax::launch_argmax(stream, config, output, &input, width)
        })
    })
}

pub(crate) fn quantize_int8(rng: &mut Rng, step: usize) -> Case {
    let (rows, width) = (rng.u32(1..9), size(rng, step, 5001));
    let mut input: Vec<f32> = elements(rng, rows * width, 4.0);
    if step == 3 {
        input[..width as usize].fill(0.0);
    }
    let config = LaunchConfig::new(rows, block(rng));
    case(format!("{rows} rows of {width}"), [Allowed::Nothing, Allowed::Nothing], move |gpu, stream| {
        let input = gpu.upload(&input)?;
        let mut output = gpu.upload(&vec![99_i8; (rows * width) as usize + BEHIND])?;
        let mut scales = gpu.upload(&unwritten::<f32>(rows))?;
        unsafe {
            quantize::launch_quantize_int8(stream, config, &mut output, &mut scales, &input, width)?;
        };
        Ok(vec![
            Output::new("output", &output.to_vec(stream)?),
            Output::new("scales", &scales.to_vec(stream)?),
        ])
    })
}

pub(crate) fn dequantize_int8(rng: &mut Rng, step: usize) -> Case {
    let (rows, width) = (rng.u32(1..9), size(rng, step, 5001));
    let input: Vec<i8> = (0..rows * width).map(|_| rng.i8(-127..=127)).collect();
    let scales: Vec<f32> = (0..rows).map(|_| rng.f32()).collect();
    let config = LaunchConfig::new(rows, block(rng));
    case(format!("{rows} rows of {width}"), [Allowed::Nothing], move |gpu, stream| {
        let (input, scales) = (gpu.upload(&input)?, gpu.upload(&scales)?);
        written(gpu, stream, "output", &unwritten::<f32>(rows * width), |output| unsafe {
            quantize::launch_dequantize_int8(stream, config, output, &input, &scales, width)
        })
    })
}
