// Rows of an embedding table, gathered by token.

#include "element.cuh"

template <typename T>
__device__ __forceinline__ void embedding_row(T* __restrict__ output, const T* __restrict__ table,
                                              const unsigned int* __restrict__ token_ids,
                                              unsigned int hidden_size, unsigned int vocabulary_size) {
    const unsigned int token = token_ids[blockIdx.x];
    T* to = output + static_cast<size_t>(blockIdx.x) * hidden_size;
    if (token < vocabulary_size) {
        const T* from = table + static_cast<size_t>(token) * hidden_size;
        for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
            to[i] = from[i];
        }
    } else {
        for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
            to[i] = from_float<T>(0.0f);
        }
    }
}

/// Copies row `token_ids[t]` of `table` to row `t` of `output`. A token outside of the vocabulary
/// gives a row of zeros.
///
/// Shapes: `output` is [tokens, hidden_size], `table` is [vocabulary_size, hidden_size], `token_ids`
/// is [tokens].
/// Launch: grid [tokens, 1, 1], one block a token; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    embedding(float* __restrict__ output, const float* __restrict__ table,
              const unsigned int* __restrict__ token_ids, unsigned int hidden_size,
              unsigned int vocabulary_size) {
    embedding_row(output, table, token_ids, hidden_size, vocabulary_size);
}

// `embedding` for another element type.
#define EMBEDDING(name, T)                                                                       \
    extern "C" __global__ void __launch_bounds__(1024)                                           \
        name(T* __restrict__ output, const T* __restrict__ table,                                \
             const unsigned int* __restrict__ token_ids, unsigned int hidden_size,               \
             unsigned int vocabulary_size) {                                                     \
        embedding_row(output, table, token_ids, hidden_size, vocabulary_size);                   \
    }

EMBEDDING(embedding_f16, __half)
EMBEDDING(embedding_bf16, __nv_bfloat16)
