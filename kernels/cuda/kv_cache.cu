// The cache of keys and values that attention reads.

#include "element.cuh"

template <typename T>
__device__ __forceinline__ void kv_append_token(T* __restrict__ key_cache, T* __restrict__ value_cache,
                                                const T* __restrict__ keys, const T* __restrict__ values,
                                                const unsigned int* __restrict__ positions,
                                                unsigned int kv_head_count, unsigned int head_dim,
                                                unsigned int capacity) {
    const unsigned int position = positions[blockIdx.x];
    if (position >= capacity) {
        return;
    }
    const size_t token_size = static_cast<size_t>(kv_head_count) * head_dim;
    const size_t from = blockIdx.x * token_size;
    for (size_t i = threadIdx.x; i < token_size; i += blockDim.x) {
        const size_t head = i / head_dim;
        const size_t to = (head * capacity + position) * head_dim + i % head_dim;
        key_cache[to] = keys[from + i];
        value_cache[to] = values[from + i];
    }
}

/// Writes the keys and values of new tokens into the caches of one sequence, token `t` at
/// `positions[t]`. A token whose position is not less than `capacity` is skipped, which is how a
/// padded batch marks the tokens it does not have. The other positions must differ.
///
/// Shapes: `key_cache` and `value_cache` are [kv_head_count, capacity, head_dim], `keys` and
/// `values` are [tokens, kv_head_count, head_dim], `positions` is [tokens].
/// Launch: grid [tokens, 1, 1], one block a token; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    kv_append(float* __restrict__ key_cache, float* __restrict__ value_cache,
              const float* __restrict__ keys, const float* __restrict__ values,
              const unsigned int* __restrict__ positions, unsigned int kv_head_count,
              unsigned int head_dim, unsigned int capacity) {
    kv_append_token(key_cache, value_cache, keys, values, positions, kv_head_count, head_dim, capacity);
}

// `kv_append` for another element type.
#define KV_APPEND(name, T)                                                                               \
    extern "C" __global__ void __launch_bounds__(1024)                                                   \
        name(T* __restrict__ key_cache, T* __restrict__ value_cache, const T* __restrict__ keys,         \
             const T* __restrict__ values, const unsigned int* __restrict__ positions,                   \
             unsigned int kv_head_count, unsigned int head_dim, unsigned int capacity) {                 \
        kv_append_token(key_cache, value_cache, keys, values, positions, kv_head_count, head_dim, capacity); \
    }

KV_APPEND(kv_append_f16, __half)
KV_APPEND(kv_append_bf16, __nv_bfloat16)
