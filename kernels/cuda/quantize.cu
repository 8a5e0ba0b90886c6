// Symmetric 8-bit quantisation with one scale a row, one block a row.

#include "block_reduce.cuh"

/// `scale = max(|input|) / 127` and `output = round(input / scale)`, row by row, ties to even. A row
/// of zeros has the scale 0. The input must be finite.
///
/// Shapes: `output` and `input` are [rows, column_count], `scales` is [rows].
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    quantize_int8(signed char* __restrict__ output, float* __restrict__ scales,
                  const float* __restrict__ input, unsigned int column_count) {
    const size_t start = static_cast<size_t>(blockIdx.x) * column_count;
    float largest = 0.0f;
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        largest = fmaxf(largest, fabsf(input[start + i]));
    }
    const float scale = block_max(largest) / 127.0f;
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        // A scale among the smallest floats is inexact, and may round up past 127.
        const float rounded = scale == 0.0f ? 0.0f : rintf(input[start + i] / scale);
        output[start + i] = static_cast<signed char>(fminf(fmaxf(rounded, -127.0f), 127.0f));
    }
    if (threadIdx.x == 0) {
        scales[blockIdx.x] = scale;
    }
}

/// `output = input * scale`, row by row.
///
/// Shapes: `output` and `input` are [rows, column_count], `scales` is [rows].
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    dequantize_int8(float* __restrict__ output, const signed char* __restrict__ input,
                    const float* __restrict__ scales, unsigned int column_count) {
    const size_t start = static_cast<size_t>(blockIdx.x) * column_count;
    const float scale = scales[blockIdx.x];
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        output[start + i] = static_cast<float>(input[start + i]) * scale;
    }
}
