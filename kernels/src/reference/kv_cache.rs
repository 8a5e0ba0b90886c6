//! The cache of keys and values that attention reads.

use warpcall::HostLaunch;

use super::Element;

/// Writes the keys and values of `grid.x` new tokens into the caches of one sequence, token `t` at
/// `positions[t]`. A token whose position is not less than `capacity` is skipped.
///
/// `key_cache` and `value_cache` are `[kv_head_count, capacity, head_dim]`, `keys` and `values`
/// are `[tokens, kv_head_count, head_dim]`, `positions` is `[tokens]`. The positions that are less
/// than `capacity` must differ: the kernel writes them in no order.
pub fn kv_append<T: Element>(
    launch: &HostLaunch<'_>,
    key_cache: &mut [T],
    value_cache: &mut [T],
    keys: &[T],
    values: &[T],
    positions: &[u32],
    kv_head_count: u32,
    head_dim: u32,
    capacity: u32,
) {
    let (heads, width) = (kv_head_count as usize, head_dim as usize);
    for (token, &position) in positions[..launch.grid().x as usize].iter().enumerate() {
        if position >= capacity {
            continue;
        }
        for head in 0..heads {
            let from = (token * heads + head) * width;
            let to = (head * capacity as usize + position as usize) * width;
            key_cache[to..][..width].copy_from_slice(&keys[from..][..width]);
            value_cache[to..][..width].copy_from_slice(&values[from..][..width]);
        }
    }
}
