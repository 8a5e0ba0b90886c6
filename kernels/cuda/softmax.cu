// Softmax of rows, one block a row.

#include "block_reduce.cuh"
#include "element.cuh"

// A thread reads and writes the same elements in every pass, so `output` may be `input` itself.
template <typename T>
__device__ __forceinline__ void softmax_row(T* output, const T* input, unsigned int column_count) {
    const size_t start = static_cast<size_t>(blockIdx.x) * column_count;
    float largest = negative_infinity();
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        largest = fmaxf(largest, to_float(input[start + i]));
    }
    largest = block_max(largest);
    float sum = 0.0f;
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        sum += expf(to_float(input[start + i]) - largest);
    }
    sum = block_sum(sum);
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        output[start + i] = from_float<T>(expf(to_float(input[start + i]) - largest) / sum);
    }
}

/// `output = exp(input - max(input)) / sum(exp(input - max(input)))`, row by row. An element of
/// -infinity gives 0; a row of nothing else gives NaN.
///
/// Shapes: `output` and `input` are [rows, column_count]. `output` may be `input`.
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    softmax(float* output, const float* input, unsigned int column_count) {
    softmax_row(output, input, column_count);
}

// `softmax` for another element type.
#define SOFTMAX(name, T)                                              \
    extern "C" __global__ void __launch_bounds__(1024)                \
        name(T* output, const T* input, unsigned int column_count) {  \
        softmax_row(output, input, column_count);                     \
    }

SOFTMAX(softmax_f16, __half)
SOFTMAX(softmax_bf16, __nv_bfloat16)
