//! The product of two matrices.

use super::Element;

/// `c = alpha * a * b + beta * c`. With a `beta` of 0 `c` is written and never read.
///
/// All by rows: `c` is `[m, n]`, `a` is `[m, k]`, `b` is `[k, n]`.
pub fn gemm<T: Element>(c: &mut [T], a: &[T], b: &[T], m: u32, n: u32, k: u32, alpha: f32, beta: f32) {
    let (m, n, k) = (m as usize, n as usize, k as usize);
    for row in 0..m {
        let a = &a[row * k..][..k];
        for column in 0..n {
            let mut sum = 0.0_f32;
            for (inner, a) in a.iter().enumerate() {
                sum = a.to_f32().mul_add(b[inner * n + column].to_f32(), sum);
            }
            let element = &mut c[row * n + column];
            let product = alpha * sum;
            *element =
                T::from_f32(if beta == 0.0 { product } else { beta.mul_add(element.to_f32(), product) });
        }
    }
}
