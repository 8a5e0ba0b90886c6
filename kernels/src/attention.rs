//! Attention of one new token over the cache.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "attention", source = "cuda/attention.cu", image = "ptx/attention.ptx")]
unsafe extern "C" {
    /// `output = softmax(scale * query * keys) * values`, head by head, over the first `context_length` positions
    /// of the cache. Query heads share key and value heads in groups of neighbours. A context of no length gives
    /// zeros.
    ///
    /// Shapes: `output` and `query` are `[query_head_count, head_dim]`, `key_cache` and `value_cache` are
    /// `[kv_head_count, capacity, head_dim]`. `kv_head_count` divides `query_head_count`, and `context_length` is
    /// at most `capacity`.
    ///
    /// Launch: any grid, `[query_head_count, 1, 1]` for one head a block; any block, a multiple of 32 up to 1024,
    /// best one that is not less than `head_dim`.
    #[host(reference::attention_decode::<f32>)]
    pub unsafe fn attention_decode(
        output: *mut f32,
        query: *const f32,
        key_cache: *const f32,
        value_cache: *const f32,
        query_head_count: u32,
        kv_head_count: u32,
        head_dim: u32,
        context_length: u32,
        capacity: u32,
        scale: f32,
    );

    /// As [`launch_attention_decode`], of `f16`.
    #[host(reference::attention_decode::<f16>)]
    pub unsafe fn attention_decode_f16(
        output: *mut f16,
        query: *const f16,
        key_cache: *const f16,
        value_cache: *const f16,
        query_head_count: u32,
        kv_head_count: u32,
        head_dim: u32,
        context_length: u32,
        capacity: u32,
        scale: f32,
    );

    /// As [`launch_attention_decode`], of `bf16`.
    #[host(reference::attention_decode::<bf16>)]
    pub unsafe fn attention_decode_bf16(
        output: *mut bf16,
        query: *const bf16,
        key_cache: *const bf16,
        value_cache: *const bf16,
        query_head_count: u32,
        kv_head_count: u32,
        head_dim: u32,
        context_length: u32,
        capacity: u32,
        scale: f32,
    );
}
