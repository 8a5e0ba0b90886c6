//! Attention of one new token over the cache of its sequence.

use super::Element;

/// `output = softmax(scale * query * keys) * values` for one new token, head by head, over the first
/// `context_length` positions of the cache. Query heads share key and value heads in groups of
/// `query_head_count / kv_head_count` neighbours. A context of no length gives zeros.
///
/// `output` and `query` are `[query_head_count, head_dim]`, `key_cache` and `value_cache` are
/// `[kv_head_count, capacity, head_dim]`. `kv_head_count` divides `query_head_count`, and
/// `context_length` is at most `capacity`.
pub fn attention_decode<T: Element>(
    output: &mut [T],
    query: &[T],
    key_cache: &[T],
    value_cache: &[T],
    query_head_count: u32,
    kv_head_count: u32,
    head_dim: u32,
    context_length: u32,
    capacity: u32,
    scale: f32,
) {
    let (width, context) = (head_dim as usize, context_length as usize);
    // Without heads of keys no query head has a group, and the slices below are what is missing.
    let group_size = query_head_count.checked_div(kv_head_count).unwrap_or(1).max(1) as usize;
    let mut sums = vec![0.0_f32; width];
    for head in 0..query_head_count as usize {
        let query = &query[head * width..][..width];
        let cache = head / group_size * capacity as usize * width;
        let scores = key_cache[cache..][..context * width].chunks_exact(width.max(1)).map(|key| {
            let product = |sum: f32, (q, k): (&T, &T)| q.to_f32().mul_add(k.to_f32(), sum);
            query.iter().zip(key).fold(0.0, product) * scale
        });
        let mut weights: Vec<f32> = scores.collect();
        let largest = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for weight in &mut weights {
            *weight = (*weight - largest).exp();
        }
        let weight_sum = weights.iter().sum::<f32>();

        sums.fill(0.0);
        let values = value_cache[cache..][..context * width].chunks_exact(width.max(1));
        for (weight, value) in weights.iter().zip(values) {
            for (sum, value) in sums.iter_mut().zip(value) {
                *sum = weight.mul_add(value.to_f32(), *sum);
            }
        }
        for (output, sum) in output[head * width..][..width].iter_mut().zip(&sums) {
            *output = T::from_f32(if context == 0 { 0.0 } else { sum / weight_sum });
        }
    }
}
