//! The index of the largest element of each row.

use warpcall::HostLaunch;

/// The column of the largest element of each of `grid.x` rows. The first of several equal ones
/// wins. NaNs are passed over; a row of nothing else, or of no columns, gives [`u32::MAX`].
///
/// `output` is `[rows]`, `input` is `[rows, column_count]`.
pub fn argmax(launch: &HostLaunch<'_>, output: &mut [u32], input: &[f32], column_count: u32) {
    let width = column_count as usize;
    for (row, output) in output[..launch.grid().x as usize].iter_mut().enumerate() {
        let mut best: Option<(f32, u32)> = None;
        for (index, &value) in (0..column_count).zip(&input[row * width..][..width]) {
            if !value.is_nan() && best.is_none_or(|(largest, _)| value > largest) {
                best = Some((value, index));
            }
        }
        *output = best.map_or(u32::MAX, |(_, index)| index);
    }
}
