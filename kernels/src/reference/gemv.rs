//! The product of a matrix and a vector.

use super::Element;

/// `output = matrix * vector`.
///
/// `output` is `[row_count]`, `matrix` is `[row_count, column_count]` by rows, `vector` is
/// `[column_count]`.
pub fn gemv<T: Element>(output: &mut [T], matrix: &[T], vector: &[T], row_count: u32, column_count: u32) {
    let (rows, columns) = (row_count as usize, column_count as usize);
    let vector = &vector[..columns];
    for (row, output) in output[..rows].iter_mut().enumerate() {
        let elements = &matrix[row * columns..][..columns];
        let product = |sum: f32, (a, b): (&T, &T)| a.to_f32().mul_add(b.to_f32(), sum);
        *output = T::from_f32(elements.iter().zip(vector).fold(0.0, product));
    }
}
