//! The scaled sum of two vectors.

/// `y[i] += a * x[i]` for every `i < n`.
///
/// `y` and `x` hold at least `n` elements.
///
/// ```
/// use warpcall_kernels::reference::saxpy;
///
/// let mut y = [1.0, 2.0, 3.0];
/// saxpy(&mut y, &[10.0, 20.0, 30.0], 0.5, 2);
/// assert_eq!(y, [6.0, 12.0, 3.0]);
/// ```
pub fn saxpy(y: &mut [f32], x: &[f32], a: f32, n: u32) {
    let n = n as usize;
    for (y, x) in y[..n].iter_mut().zip(&x[..n]) {
        // The compiled kernel multiplies and adds in one rounding.
        *y = a.mul_add(*x, *y);
    }
}
