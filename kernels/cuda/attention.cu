// Attention of one new token over the cache of its sequence, one block a query head.

#include "block_reduce.cuh"
#include "element.cuh"

// How many positions are scored before their values are summed.
constexpr unsigned int CHUNK = 256;

// The weighted sum of the values of one head, for as many elements as the block has threads. The
// softmax runs along: when a chunk raises the largest score, what was summed before is scaled down.
template <typename T>
__device__ __forceinline__ void attend(T* __restrict__ output, const T* __restrict__ query,
                                       const T* __restrict__ keys, const T* __restrict__ values,
                                       unsigned int head_dim, unsigned int context_length, float scale,
                                       size_t element) {
    __shared__ float weights[CHUNK];
    const unsigned int lane = threadIdx.x % WARP_SIZE;
    float largest = negative_infinity();
    float weight_sum = 0.0f;
    float sum = 0.0f;

    for (size_t chunk = 0; chunk < context_length; chunk += CHUNK) {
        const unsigned int length = min(CHUNK, context_length - static_cast<unsigned int>(chunk));
        // The last chunk's weights, or the last call's, may still be read.
        __syncthreads();
        for (unsigned int i = threadIdx.x / WARP_SIZE; i < length; i += blockDim.x / WARP_SIZE) {
            const T* key = keys + (chunk + i) * head_dim;
            float score = 0.0f;
            for (size_t d = lane; d < head_dim; d += WARP_SIZE) {
                score += to_float(query[d]) * to_float(key[d]);
            }
            score = warp_sum(score);
            if (lane == 0) {
                weights[i] = score * scale;
            }
        }
        __syncthreads();

        float chunk_largest = negative_infinity();
        for (unsigned int i = threadIdx.x; i < length; i += blockDim.x) {
            chunk_largest = fmaxf(chunk_largest, weights[i]);
        }
        const float new_largest = fmaxf(largest, block_max(chunk_largest));
        float chunk_sum = 0.0f;
        for (unsigned int i = threadIdx.x; i < length; i += blockDim.x) {
            weights[i] = expf(weights[i] - new_largest);
            chunk_sum += weights[i];
        }
        // The barriers of the reduction make every thread's weights visible.
        chunk_sum = block_sum(chunk_sum);
        const float correction = expf(largest - new_largest);
        largest = new_largest;
        weight_sum = weight_sum * correction + chunk_sum;
        sum *= correction;
        if (element < head_dim) {
            for (unsigned int i = 0; i < length; i++) {
                sum += weights[i] * to_float(values[(chunk + i) * head_dim + element]);
            }
        }
    }
    if (element < head_dim) {
        output[element] = from_float<T>(context_length == 0 ? 0.0f : sum / weight_sum);
    }
}

template <typename T>
__device__ __forceinline__ void attention_decode_heads(
    T* __restrict__ output, const T* __restrict__ query, const T* __restrict__ key_cache,
    const T* __restrict__ value_cache, unsigned int query_head_count, unsigned int kv_head_count,
    unsigned int head_dim, unsigned int context_length, unsigned int capacity, float scale) {
    const unsigned int group_size = query_head_count / kv_head_count;
    for (size_t head = blockIdx.x; head < query_head_count; head += gridDim.x) {
        const size_t cache = head / group_size * capacity * head_dim;
        // A head wider than the block takes several rounds, and scores the keys in each.
        for (size_t start = 0; start < head_dim; start += blockDim.x) {
            attend(output + head * head_dim, query + head * head_dim, key_cache + cache, value_cache + cache,
                   head_dim, context_length, scale, start + threadIdx.x);
        }
    }
}

/// `output = softmax(scale * query * keys) * values` for one new token, head by head, over the first
/// `context_length` positions of the cache. Query heads share key and value heads in groups of
/// `query_head_count / kv_head_count` neighbours. A context of no length gives zeros.
///
/// Shapes: `output` and `query` are [query_head_count, head_dim], `key_cache` and `value_cache` are
/// [kv_head_count, capacity, head_dim]. `kv_head_count` divides `query_head_count`, and
/// `context_length` is at most `capacity`.
/// Launch: any grid, [query_head_count, 1, 1] for one head a block; any block, a multiple of 32 up
/// to 1024, best one that is not less than `head_dim`.
extern "C" __global__ void __launch_bounds__(1024)
    attention_decode(float* __restrict__ output, const float* __restrict__ query,
                     const float* __restrict__ key_cache, const float* __restrict__ value_cache,
                     unsigned int query_head_count, unsigned int kv_head_count, unsigned int head_dim,
                     unsigned int context_length, unsigned int capacity, float scale) {
    attention_decode_heads(output, query, key_cache, value_cache, query_head_count, kv_head_count, head_dim,
                           context_length, capacity, scale);
}

// `attention_decode` for another element type; scores, weights and sums are floats.
#define ATTENTION_DECODE(name, T)                                                                      \
    extern "C" __global__ void __launch_bounds__(1024)                                                 \
        name(T* __restrict__ output, const T* __restrict__ query, const T* __restrict__ key_cache,     \
             const T* __restrict__ value_cache, unsigned int query_head_count,                         \
             unsigned int kv_head_count, unsigned int head_dim, unsigned int context_length,           \
             unsigned int capacity, float scale) {                                                     \
        attention_decode_heads(output, query, key_cache, value_cache, query_head_count, kv_head_count, \
                               head_dim, context_length, capacity, scale);                             \
    }

ATTENTION_DECODE(attention_decode_f16, __half)
ATTENTION_DECODE(attention_decode_bf16, __nv_bfloat16)
