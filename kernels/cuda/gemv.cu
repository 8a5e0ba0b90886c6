// The product of a matrix and a vector, one warp a row.

#include "block_reduce.cuh"
#include "element.cuh"

template <typename T>
__device__ __forceinline__ void gemv_rows(T* __restrict__ output, const T* __restrict__ matrix,
                                          const T* __restrict__ vector, unsigned int row_count,
                                          unsigned int column_count) {
    const unsigned int warps = blockDim.x / WARP_SIZE;
    const unsigned int lane = threadIdx.x % WARP_SIZE;
    const size_t first_row = static_cast<size_t>(blockIdx.x) * warps + threadIdx.x / WARP_SIZE;
    for (size_t row = first_row; row < row_count; row += static_cast<size_t>(gridDim.x) * warps) {
        const T* elements = matrix + row * column_count;
        float sum = 0.0f;
        for (size_t column = lane; column < column_count; column += WARP_SIZE) {
            sum += to_float(elements[column]) * to_float(vector[column]);
        }
        sum = warp_sum(sum);
        if (lane == 0) {
            output[row] = from_float<T>(sum);
        }
    }
}

/// `output = matrix * vector`.
///
/// Shapes: `output` is [row_count], `matrix` is [row_count, column_count] by rows, `vector` is
/// [column_count].
/// Launch: any grid, `ceil(row_count / (block / 32))` for one row a warp; any block, a multiple of
/// 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    gemv(float* __restrict__ output, const float* __restrict__ matrix, const float* __restrict__ vector,
         unsigned int row_count, unsigned int column_count) {
    gemv_rows(output, matrix, vector, row_count, column_count);
}

/// `gemv` for f16 elements, with sums in float.
extern "C" __global__ void __launch_bounds__(1024)
    gemv_f16(__half* __restrict__ output, const __half* __restrict__ matrix,
             const __half* __restrict__ vector, unsigned int row_count, unsigned int column_count) {
    gemv_rows(output, matrix, vector, row_count, column_count);
}

/// `gemv` for bf16 elements, with sums in float.
extern "C" __global__ void __launch_bounds__(1024)
    gemv_bf16(__nv_bfloat16* __restrict__ output, const __nv_bfloat16* __restrict__ matrix,
              const __nv_bfloat16* __restrict__ vector, unsigned int row_count,
              unsigned int column_count) {
    gemv_rows(output, matrix, vector, row_count, column_count);
}
