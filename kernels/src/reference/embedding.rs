//! Rows of an embedding table, gathered by token.

use warpcall::HostLaunch;

use super::Element;

/// Copies row `token_ids[t]` of `table` to row `t` of `output`, for every `t < grid.x`. A token
/// outside of the vocabulary gives a row of zeros.
///
/// `output` is `[tokens, hidden_size]`, `table` is `[vocabulary_size, hidden_size]`, `token_ids`
/// is `[tokens]`.
pub fn embedding<T: Element>(
    launch: &HostLaunch<'_>,
    output: &mut [T],
    table: &[T],
    token_ids: &[u32],
    hidden_size: u32,
    vocabulary_size: u32,
) {
    let width = hidden_size as usize;
    for (index, &token) in token_ids[..launch.grid().x as usize].iter().enumerate() {
        let to = &mut output[index * width..][..width];
        if token < vocabulary_size {
            to.copy_from_slice(&table[token as usize * width..][..width]);
        } else {
            to.fill(T::from_f32(0.0));
        }
    }
}
