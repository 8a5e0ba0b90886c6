//! The references that reduce a row, against formulas in `f64`.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use support::{CASES, TestElement, assert_close, blocks, elements, exact, exact_all, rng, size};
use warpcall_kernels::reference::{add_rms_norm, argmax, layer_norm, rms_norm, softmax};

for_every_element! {
    rms_norm_divides_by_the_root_of_the_mean_square => check_rms_norm,
    add_rms_norm_is_a_rounded_sum_and_its_norm => check_add_rms_norm,
    layer_norm_centres_and_scales => check_layer_norm,
    softmax_is_the_share_of_each_exponential => check_softmax,
}

fn mean_square(row: &[f64]) -> f64 {
    row.iter().map(|x| x.powi(2)).sum::<f64>() / row.len() as f64
}

fn check_rms_norm<T: TestElement>() {
    let mut rng = rng(10);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..6), size(&mut rng, case, 2000));
        let input: Vec<T> = elements(&mut rng, (rows * width) as usize, 3.0);
        let weight: Vec<T> = elements(&mut rng, width as usize, 2.0);
        let eps = [1e-5, 1e-6, 0.1][case % 3];
        let mut output = vec![T::from_f32(7.0); input.len() + 1];
        rms_norm(&blocks(rows), &mut output, &input, &weight, width, eps);
        for (row, output) in input.chunks(width as usize).zip(output.chunks(width as usize)) {
            assert_normalised(output, &exact_all(row), &weight, eps);
        }
        assert_eq!(output[input.len()], T::from_f32(7.0));
    }
}

#[track_caller]
fn assert_normalised<T: TestElement>(output: &[T], row: &[f64], weight: &[T], eps: f32) {
    let root = (mean_square(row) + f64::from(eps)).sqrt();
    for ((output, x), weight) in output.iter().zip(row).zip(weight) {
        let expected = x * exact(*weight) / root;
        // A sum of n positive numbers is off by n / 2 roundings at most, its root by half of that.
        let operations = 4.0 + row.len() as f64 / 4.0;
        assert_close(*output, expected, operations, expected.abs());
    }
}

fn check_add_rms_norm<T: TestElement>() {
    let mut rng = rng(11);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..6), size(&mut rng, case, 2000));
        let input: Vec<T> = elements(&mut rng, (rows * width) as usize, 3.0);
        let before: Vec<T> = elements(&mut rng, input.len(), 3.0);
        let weight: Vec<T> = elements(&mut rng, width as usize, 2.0);
        let mut output = vec![T::from_f32(7.0); input.len() + 1];
        let mut residual = before.clone();
        residual.push(T::from_f32(9.0));
        add_rms_norm(&blocks(rows), &mut output, &mut residual, &input, &weight, width, 1e-5);
        for ((sum, before), input) in residual.iter().zip(&before).zip(&input) {
            assert_close(
                *sum,
                exact(*before) + exact(*input),
                0.5,
                exact(*before).abs() + exact(*input).abs(),
            );
        }
        let sums = &residual[..input.len()];
        for (row, output) in sums.chunks(width as usize).zip(output.chunks(width as usize)) {
            assert_normalised(output, &exact_all(row), &weight, 1e-5);
        }
        assert_eq!(output[input.len()], T::from_f32(7.0));
        assert_eq!(residual[input.len()], T::from_f32(9.0));
    }
}

fn check_layer_norm<T: TestElement>() {
    let mut rng = rng(12);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..6), size(&mut rng, case, 2000));
        let shift = [0.0, 10.0][case % 2];
        let input: Vec<T> = elements::<f32>(&mut rng, (rows * width) as usize, 3.0)
            .into_iter()
            .map(|x| T::from_f32(x + shift))
            .collect();
        let weight: Vec<T> = elements(&mut rng, width as usize, 2.0);
        let bias: Vec<T> = elements(&mut rng, width as usize, 2.0);
        let eps = 1e-3;
        let mut output = vec![T::from_f32(7.0); input.len() + 1];
        layer_norm(&blocks(rows), &mut output, &input, &weight, &bias, width, eps);
        for (row, output) in input.chunks(width as usize).zip(output.chunks(width as usize)) {
            let row = exact_all(row);
            let count = row.len() as f64;
            let mean = row.iter().sum::<f64>() / count;
            // The other textbook form of the variance.
            let deviation = (mean_square(&row) - mean * mean + f64::from(eps)).sqrt();
            let largest = row.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            for (i, output) in output.iter().enumerate() {
                let (weight, bias) = (exact(weight[i]), exact(bias[i]));
                let expected = (row[i] - mean) / deviation * weight + bias;
                // The mean is off by roundings of the largest partial sum, and carries over to the
                // centred element; the scale is off in proportion.
                let centred = (row[i] - mean).abs() / deviation * weight.abs();
                let magnitude = largest / deviation * weight.abs() + centred + bias.abs();
                assert_close(*output, expected, 4.0 + count / 4.0, magnitude);
            }
        }
        assert_eq!(output[input.len()], T::from_f32(7.0));
    }
}

fn check_softmax<T: TestElement>() {
    let mut rng = rng(13);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..6), size(&mut rng, case, 2000));
        let input: Vec<T> = elements(&mut rng, (rows * width) as usize, 8.0);
        let mut output = vec![T::from_f32(7.0); input.len() + 1];
        softmax(&blocks(rows), &mut output, &input, width);
        for (row, output) in input.chunks(width as usize).zip(output.chunks(width as usize)) {
            let row = exact_all(row);
            for (x, output) in row.iter().zip(output) {
                let expected = 1.0 / row.iter().map(|other| (other - x).exp()).sum::<f64>();
                // The exponent is a rounded difference of up to 16.
                assert_close(*output, expected, 20.0 + row.len() as f64 / 2.0, expected);
            }
        }
        assert_eq!(output[input.len()], T::from_f32(7.0));
    }
}

#[test]
fn softmax_survives_large_and_infinite_elements() {
    let mut output = [0.0_f32; 3];
    softmax(&blocks(1), &mut output, &[1e30, f32::NEG_INFINITY, 1e30], 3);
    assert_eq!(output, [0.5, 0.0, 0.5]);
}

#[test]
fn argmax_finds_the_first_largest_element() {
    let mut rng = rng(14);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..8), size(&mut rng, case, 2000));
        // Few different values, so that the largest occurs several times.
        let input: Vec<f32> = (0..rows * width).map(|_| f32::from(rng.i8(-20..20))).collect();
        let mut output = vec![7; rows as usize + 1];
        argmax(&blocks(rows), &mut output, &input, width);
        for (row, index) in input.chunks(width as usize).zip(&output) {
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by(|a, b| row[*b].total_cmp(&row[*a]).then(a.cmp(b)));
            assert_eq!(*index as usize, order[0]);
        }
        assert_eq!(output[rows as usize], 7);
    }
}

#[test]
fn argmax_passes_over_nan_and_takes_negative_infinity() {
    let mut output = [0; 3];
    let input = [f32::NAN, -1.0, 2.0, f32::NAN, f32::NAN, f32::NEG_INFINITY, f32::NAN, f32::NAN, f32::NAN];
    argmax(&blocks(3), &mut output, &input, 3);
    assert_eq!(output, [2, 2, u32::MAX]);
}
