//! The references that work element by element, against formulas in `f64`.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use half::{bf16, f16};
use support::{CASES, TestElement, assert_close, blocks, elements, exact, rng, size};
use warpcall_kernels::reference::{convert, embedding, gelu, saxpy, silu_mul};

#[test]
fn saxpy_adds_a_scaled_vector_to_the_first_n_elements() {
    let mut rng = rng(1);
    for case in 0..CASES {
        let n = size(&mut rng, case, 5000);
        let spare = rng.usize(0..3);
        let x: Vec<f32> = elements(&mut rng, n as usize + spare, 3.0);
        let before: Vec<f32> = elements(&mut rng, n as usize + spare, 3.0);
        let a = rng.f32() * 4.0 - 2.0;
        let mut y = before.clone();
        saxpy(&mut y, &x, a, n);
        for i in 0..n as usize {
            let product = exact(x[i]) * exact(a);
            assert_close(y[i], exact(before[i]) + product, 1.0, product.abs());
        }
        assert_eq!(y[n as usize..], before[n as usize..]);
    }
}

for_every_element! {
    silu_mul_is_the_gate_times_its_sigmoid_times_up => check_silu_mul,
    gelu_is_the_tanh_form => check_gelu,
    embedding_gathers_rows_and_zeroes_unknown_tokens => check_embedding,
}

fn check_silu_mul<T: TestElement>() {
    let mut rng = rng(2);
    for case in 0..CASES {
        let n = size(&mut rng, case, 3000);
        let gate: Vec<T> = elements(&mut rng, n as usize, 12.0);
        let up: Vec<T> = elements(&mut rng, n as usize, 4.0);
        let mut output = vec![T::from_f32(7.0); n as usize + 1];
        silu_mul(&mut output, &gate, &up, n);
        for i in 0..n as usize {
            let x = exact(gate[i]);
            // sigmoid(x) = (1 + tanh(x / 2)) / 2
            let expected = x * (0.5 + 0.5 * (x / 2.0).tanh()) * exact(up[i]);
            assert_close(output[i], expected, 6.0, expected.abs());
        }
        assert_eq!(output[n as usize], T::from_f32(7.0));
    }
}

#[test]
fn silu_mul_of_extreme_gates_is_finite() {
    let mut output = [1.0_f32; 2];
    silu_mul(&mut output, &[-200.0, 200.0], &[3.0, 3.0], 2);
    assert_eq!(output, [0.0, 600.0]);
}

fn check_gelu<T: TestElement>() {
    let mut rng = rng(3);
    for case in 0..CASES {
        let n = size(&mut rng, case, 3000);
        let input: Vec<T> = elements(&mut rng, n as usize, 6.0);
        let mut output = vec![T::from_f32(7.0); n as usize + 1];
        gelu(&mut output, &input, n);
        for i in 0..n as usize {
            let x = exact(input[i]);
            // (1 + tanh(u)) / 2 = sigmoid(2 u)
            let u = (2.0 / std::f64::consts::PI).sqrt() * x * (1.0 + 0.044_715 * x * x);
            let expected = x / (1.0 + (-2.0 * u).exp());
            // Below zero 1 + tanh(u) cancels, so the error is that of x and not of the result.
            assert_close(output[i], expected, 4.0, x.abs());
        }
        assert_eq!(output[n as usize], T::from_f32(7.0));
    }
}

fn check_embedding<T: TestElement>() {
    let mut rng = rng(4);
    for case in 0..CASES {
        let width = size(&mut rng, case, 300);
        let vocabulary = rng.u32(1..50);
        let tokens = rng.u32(1..20);
        let table: Vec<T> = elements(&mut rng, (vocabulary * width) as usize, 2.0);
        let ids: Vec<u32> = (0..tokens).map(|_| rng.u32(0..vocabulary + 2)).collect();
        let mut output = vec![T::from_f32(7.0); (tokens * width) as usize + 1];
        embedding(&blocks(tokens), &mut output, &table, &ids, width, vocabulary);
        let zeros = vec![T::from_f32(0.0); width as usize];
        let rows: Vec<&[T]> = table.chunks(width as usize).collect();
        let expected: Vec<T> =
            ids.iter().flat_map(|id| *rows.get(*id as usize).unwrap_or(&zeros.as_slice())).copied().collect();
        assert_eq!(output[..expected.len()], expected);
        assert_eq!(output[expected.len()..], [T::from_f32(7.0)]);
    }
}

#[test]
fn convert_rounds_to_the_nearest_element_ties_to_even() {
    let mut output = [f16::ZERO; 5];
    // Half an ulp above 2048 and 2050, more than the largest, and half the smallest, of which the tie is even.
    convert(&mut output, &[2049.0_f32, 2051.0, 1.0e6, 2.0_f32.powi(-25)], 4);
    let expected = [2048.0, 2052.0, f32::INFINITY, 0.0, 0.0].map(f16::from_f32);
    assert_eq!(output, expected);
    let mut output = [0.0_f32; 2];
    convert(&mut output, &[bf16::from_f32(-3.5), bf16::ONE], 1);
    assert_eq!(output, [-3.5, 0.0], "what is past `n` is left alone");
}
