//! The cache of keys and values.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "kv_cache", source = "cuda/kv_cache.cu", image = "ptx/kv_cache.ptx")]
unsafe extern "C" {
    /// Writes the keys and values of new tokens into the caches of one sequence, token `t` at `positions[t]`. A
    /// token whose position is not less than `capacity` is skipped. The other positions must differ.
    ///
    /// Shapes: `key_cache` and `value_cache` are `[kv_head_count, capacity, head_dim]`, `keys` and `values` are
    /// `[tokens, kv_head_count, head_dim]`, `positions` is `[tokens]`.
    ///
    /// Launch: grid `[tokens, 1, 1]`, one block a token; any block, a multiple of 32 up to 1024.
    #[host(reference::kv_append::<f32>, launch)]
    pub unsafe fn kv_append(
        key_cache: *mut f32,
        value_cache: *mut f32,
        keys: *const f32,
        values: *const f32,
        positions: *const u32,
        kv_head_count: u32,
        head_dim: u32,
        capacity: u32,
    );

    /// As [`launch_kv_append`], of `f16`.
    #[host(reference::kv_append::<f16>, launch)]
    pub unsafe fn kv_append_f16(
        key_cache: *mut f16,
        value_cache: *mut f16,
        keys: *const f16,
        values: *const f16,
        positions: *const u32,
        kv_head_count: u32,
        head_dim: u32,
        capacity: u32,
    );

    /// As [`launch_kv_append`], of `bf16`.
    #[host(reference::kv_append::<bf16>, launch)]
    pub unsafe fn kv_append_bf16(
        key_cache: *mut bf16,
        value_cache: *mut bf16,
        keys: *const bf16,
        values: *const bf16,
        positions: *const u32,
        kv_head_count: u32,
        head_dim: u32,
        capacity: u32,
    );
}
