// Normalisation of rows, one block a row.
//
// A thread reads and writes the same elements of its row in every pass, so `output` may be `input`
// itself: the pointers are not `__restrict__`.

#include "block_reduce.cuh"
#include "element.cuh"

template <typename T>
__device__ __forceinline__ void rms_norm_row(T* output, const T* input, const T* weight,
                                             unsigned int hidden_size, float eps) {
    const size_t start = static_cast<size_t>(blockIdx.x) * hidden_size;
    float squares = 0.0f;
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        const float value = to_float(input[start + i]);
        squares += value * value;
    }
    const float scale = 1.0f / sqrtf(block_sum(squares) / static_cast<float>(hidden_size) + eps);
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        output[start + i] = from_float<T>(to_float(input[start + i]) * scale * to_float(weight[i]));
    }
}

template <typename T>
__device__ __forceinline__ void add_rms_norm_row(T* output, T* residual, const T* input, const T* weight,
                                                 unsigned int hidden_size, float eps) {
    const size_t start = static_cast<size_t>(blockIdx.x) * hidden_size;
    float squares = 0.0f;
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        const T sum = from_float<T>(to_float(residual[start + i]) + to_float(input[start + i]));
        residual[start + i] = sum;
        squares += to_float(sum) * to_float(sum);
    }
    const float scale = 1.0f / sqrtf(block_sum(squares) / static_cast<float>(hidden_size) + eps);
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        output[start + i] = from_float<T>(to_float(residual[start + i]) * scale * to_float(weight[i]));
    }
}

template <typename T>
__device__ __forceinline__ void layer_norm_row(T* output, const T* input, const T* weight, const T* bias,
                                               unsigned int hidden_size, float eps) {
    const size_t start = static_cast<size_t>(blockIdx.x) * hidden_size;
    const float count = static_cast<float>(hidden_size);
    float sum = 0.0f;
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        sum += to_float(input[start + i]);
    }
    const float mean = block_sum(sum) / count;
    // Centred before squaring: the difference of two large sums would lose the small variance.
    float squares = 0.0f;
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        const float centred = to_float(input[start + i]) - mean;
        squares += centred * centred;
    }
    const float scale = 1.0f / sqrtf(block_sum(squares) / count + eps);
    for (size_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
        const float centred = to_float(input[start + i]) - mean;
        output[start + i] = from_float<T>(centred * scale * to_float(weight[i]) + to_float(bias[i]));
    }
}

/// Root-mean-square normalisation: `output = input / sqrt(mean(input^2) + eps) * weight`, row by row.
///
/// Shapes: `output` and `input` are [rows, hidden_size], `weight` is [hidden_size]. `output` may be
/// `input`.
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    rms_norm(float* output, const float* input, const float* weight, unsigned int hidden_size, float eps) {
    rms_norm_row(output, input, weight, hidden_size, eps);
}

/// `residual += input`, then `output = rms_norm(residual)`, row by row. The sum is rounded to the
/// element type before it is normalised, so that the result is that of the two kernels apart.
///
/// Shapes: `output`, `residual` and `input` are [rows, hidden_size], `weight` is [hidden_size].
/// `output` may be `input`.
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    add_rms_norm(float* output, float* residual, const float* input, const float* weight,
                 unsigned int hidden_size, float eps) {
    add_rms_norm_row(output, residual, input, weight, hidden_size, eps);
}

/// Layer normalisation: `output = (input - mean) / sqrt(variance + eps) * weight + bias`, row by
/// row. The variance is the population's (divided by `hidden_size`).
///
/// Shapes: `output` and `input` are [rows, hidden_size], `weight` and `bias` are [hidden_size].
/// `output` may be `input`.
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    layer_norm(float* output, const float* input, const float* weight, const float* bias,
               unsigned int hidden_size, float eps) {
    layer_norm_row(output, input, weight, bias, hidden_size, eps);
}

// The three kernels for another element type.
#define NORM_KERNELS(suffix, T)                                                                    \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        rms_norm_##suffix(T* output, const T* input, const T* weight, unsigned int hidden_size,    \
                          float eps) {                                                             \
        rms_norm_row(output, input, weight, hidden_size, eps);                                     \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        add_rms_norm_##suffix(T* output, T* residual, const T* input, const T* weight,             \
                              unsigned int hidden_size, float eps) {                               \
        add_rms_norm_row(output, residual, input, weight, hidden_size, eps);                       \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        layer_norm_##suffix(T* output, const T* input, const T* weight, const T* bias,             \
                            unsigned int hidden_size, float eps) {                                 \
        layer_norm_row(output, input, weight, bias, hidden_size, eps);                             \
    }

NORM_KERNELS(f16, __half)
NORM_KERNELS(bf16, __nv_bfloat16)
