//! The references of the 8-bit quantisation, by what it promises.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use support::{CASES, assert_close, blocks, elements, exact, rng, size};
use warpcall_kernels::reference::{dequantize_int8, quantize_int8};

#[test]
fn quantize_int8_rounds_to_the_nearest_of_255_steps() {
    let mut rng = rng(50);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..6), size(&mut rng, case, 2000));
        let spread = [1e-3, 1.0, 500.0][case % 3];
        let input: Vec<f32> = elements(&mut rng, (rows * width) as usize, spread);
        let mut output = vec![99; input.len() + 1];
        let mut scales = vec![99.0; rows as usize + 1];
        quantize_int8(&blocks(rows), &mut output, &mut scales, &input, width);
        for ((row, quantized), scale) in
            input.chunks(width as usize).zip(output.chunks(width as usize)).zip(&scales)
        {
            let mut sizes: Vec<f64> = row.iter().map(|x| exact(*x).abs()).collect();
            sizes.sort_by(f64::total_cmp);
            assert_close(*scale, sizes[sizes.len() - 1] / 127.0, 0.0, 0.0);
            assert_eq!(quantized.iter().map(|q| q.unsigned_abs()).max(), Some(127));
            for (x, q) in row.iter().zip(quantized) {
                // Half a step, and what the division is off by where it lands beside a tie.
                let error = (exact(*x) / exact(*scale) - f64::from(*q)).abs();
                assert!(error <= 0.5 + 127.0 * f64::from(f32::EPSILON), "{x} became {q} steps of {scale}");
            }
        }
        assert_eq!((output[input.len()], scales[rows as usize].to_bits()), (99, 99.0_f32.to_bits()));
    }
}

#[test]
fn quantize_int8_rounds_ties_to_even_and_gives_zeros_no_scale() {
    let mut output = [9; 10];
    let mut scales = [9.0; 2];
    let input = [127.0, 0.5, 1.5, -2.5, -127.0, 0.0, -0.0, 0.0, 0.0, 0.0];
    quantize_int8(&blocks(2), &mut output, &mut scales, &input, 5);
    assert_eq!(output, [127, 0, 2, -2, -127, 0, 0, 0, 0, 0]);
    assert_eq!(scales, [1.0, 0.0]);
}

#[test]
fn quantize_int8_of_the_smallest_floats_stays_in_range() {
    let smallest = f32::from_bits(100);
    let mut output = [9; 2];
    let mut scales = [9.0; 1];
    quantize_int8(&blocks(1), &mut output, &mut scales, &[smallest, -smallest], 2);
    assert_eq!(output, [100, -100]);
}

#[test]
fn dequantize_int8_multiplies_by_the_scale_of_the_row() {
    let mut rng = rng(51);
    for case in 0..CASES {
        let (rows, width) = (rng.u32(1..6), size(&mut rng, case, 2000));
        let input: Vec<i8> = (0..rows * width).map(|_| rng.i8(-127..=127)).collect();
        let scales: Vec<f32> = elements(&mut rng, rows as usize, 3.0);
        let mut output = vec![99.0_f32; input.len() + 1];
        dequantize_int8(&blocks(rows), &mut output, &input, &scales, width);
        for (i, q) in input.iter().enumerate() {
            assert_close(output[i], f64::from(*q) * exact(scales[i / width as usize]), 0.0, 0.0);
        }
        assert_eq!(output[input.len()].to_bits(), 99.0_f32.to_bits());
    }
}
