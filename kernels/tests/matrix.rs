//! The references of the matrix products, against sums in `f64`.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use support::{CASES, TestElement, assert_close, elements, exact, exact_all, rng, size};
use warpcall_kernels::reference::{gemm, gemv};

for_every_element! {
    gemv_sums_the_scaled_columns => check_gemv,
    gemm_sums_outer_products => check_gemm,
}

fn check_gemv<T: TestElement>() {
    let mut rng = rng(20);
    for case in 0..CASES {
        let (rows, columns) = (size(&mut rng, CASES - case, 70), size(&mut rng, case, 700));
        let matrix: Vec<T> = elements(&mut rng, (rows * columns) as usize, 2.0);
        let vector: Vec<T> = elements(&mut rng, columns as usize, 2.0);
        let mut output = vec![T::from_f32(7.0); rows as usize + 1];
        gemv(&mut output, &matrix, &vector, rows, columns);
        let mut sums = vec![0.0; rows as usize];
        let mut magnitudes = sums.clone();
        for (column, x) in exact_all(&vector).into_iter().enumerate() {
            for row in 0..rows as usize {
                let product = exact(matrix[row * columns as usize + column]) * x;
                sums[row] += product;
                magnitudes[row] += product.abs();
            }
        }
        for row in 0..rows as usize {
            assert_close(output[row], sums[row], f64::from(columns) / 2.0, magnitudes[row]);
        }
        assert_eq!(output[rows as usize], T::from_f32(7.0));
    }
}

fn check_gemm<T: TestElement>() {
    let mut rng = rng(21);
    for case in 0..CASES {
        let (m, n, k) = (size(&mut rng, case, 70), size(&mut rng, CASES - case, 70), rng.u32(1..130));
        let (rows, columns, depth) = (m as usize, n as usize, k as usize);
        let a: Vec<T> = elements(&mut rng, rows * depth, 2.0);
        let b: Vec<T> = elements(&mut rng, depth * columns, 2.0);
        let before: Vec<T> = elements(&mut rng, rows * columns, 2.0);
        let (alpha, beta) = ([1.0, 0.75][case % 2], [0.0, 1.0, -0.5][case % 3]);
        let mut c = before.clone();
        c.push(T::from_f32(7.0));
        gemm(&mut c, &a, &b, m, n, k, alpha, beta);

        let mut expected: Vec<f64> = before.iter().map(|x| exact(*x) * f64::from(beta)).collect();
        let mut magnitude: Vec<f64> = expected.iter().map(|x| x.abs()).collect();
        for inner in 0..depth {
            for i in 0..rows * columns {
                let product = exact(a[i / columns * depth + inner])
                    * exact(b[inner * columns + i % columns])
                    * f64::from(alpha);
                expected[i] += product;
                magnitude[i] += product.abs();
            }
        }
        for i in 0..rows * columns {
            assert_close(c[i], expected[i], 2.0 + f64::from(k) / 2.0, magnitude[i]);
        }
        assert_eq!(c[rows * columns], T::from_f32(7.0));
    }
}

#[test]
fn gemm_with_a_beta_of_zero_does_not_read_the_result() {
    let mut c = [f32::NAN; 2];
    gemm(&mut c, &[2.0], &[3.0, 4.0], 1, 2, 1, 1.0, 0.0);
    assert_eq!(c, [6.0, 8.0]);
}
