// The product of two matrices: 64 by 64 tiles of the result, 4 by 4 elements a thread.

#include "element.cuh"

constexpr unsigned int TILE = 64;
constexpr unsigned int DEPTH = 16;
constexpr unsigned int PER_THREAD = 4;
constexpr unsigned int THREADS_ACROSS = TILE / PER_THREAD;
constexpr unsigned int BLOCK = THREADS_ACROSS * THREADS_ACROSS;

template <typename T>
__device__ __forceinline__ void gemm_tile(T* __restrict__ c, const T* __restrict__ a,
                                          const T* __restrict__ b, unsigned int m, unsigned int n,
                                          unsigned int k, float alpha, float beta, size_t tile_row,
                                          size_t tile_column) {
    // `a` lies transposed, one element wider than the tile so that its columns are written to
    // different banks.
    __shared__ float a_tile[DEPTH][TILE + 1];
    __shared__ float b_tile[DEPTH][TILE];
    const unsigned int thread_row = threadIdx.x / THREADS_ACROSS;
    const unsigned int thread_column = threadIdx.x % THREADS_ACROSS;
    float sums[PER_THREAD][PER_THREAD] = {};

    for (size_t depth = 0; depth < k; depth += DEPTH) {
        for (unsigned int i = threadIdx.x; i < TILE * DEPTH; i += BLOCK) {
            const size_t a_row = tile_row + i / DEPTH;
            const size_t a_column = depth + i % DEPTH;
            a_tile[i % DEPTH][i / DEPTH] = a_row < m && a_column < k ? to_float(a[a_row * k + a_column]) : 0.0f;
            const size_t b_row = depth + i / TILE;
            const size_t b_column = tile_column + i % TILE;
            b_tile[i / TILE][i % TILE] = b_row < k && b_column < n ? to_float(b[b_row * n + b_column]) : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (unsigned int inner = 0; inner < DEPTH; inner++) {
#pragma unroll
            for (unsigned int i = 0; i < PER_THREAD; i++) {
                const float from_a = a_tile[inner][thread_row + i * THREADS_ACROSS];
#pragma unroll
                for (unsigned int j = 0; j < PER_THREAD; j++) {
                    sums[i][j] += from_a * b_tile[inner][thread_column + j * THREADS_ACROSS];
                }
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (unsigned int i = 0; i < PER_THREAD; i++) {
#pragma unroll
        for (unsigned int j = 0; j < PER_THREAD; j++) {
            const size_t row = tile_row + thread_row + i * THREADS_ACROSS;
            const size_t column = tile_column + thread_column + j * THREADS_ACROSS;
            if (row < m && column < n) {
                T* element = c + row * n + column;
                const float product = alpha * sums[i][j];
                *element = from_float<T>(beta == 0.0f ? product : product + beta * to_float(*element));
            }
        }
    }
}

template <typename T>
__device__ __forceinline__ void gemm_tiles(T* __restrict__ c, const T* __restrict__ a,
                                           const T* __restrict__ b, unsigned int m, unsigned int n,
                                           unsigned int k, float alpha, float beta) {
    const size_t step_down = static_cast<size_t>(gridDim.y) * TILE;
    const size_t step_across = static_cast<size_t>(gridDim.x) * TILE;
    for (size_t row = static_cast<size_t>(blockIdx.y) * TILE; row < m; row += step_down) {
        for (size_t column = static_cast<size_t>(blockIdx.x) * TILE; column < n; column += step_across) {
            gemm_tile(c, a, b, m, n, k, alpha, beta, row, column);
        }
    }
}

/// `c = alpha * a * b + beta * c`. With a `beta` of 0 `c` is written and never read.
///
/// Shapes, all by rows: `c` is [m, n], `a` is [m, k], `b` is [k, n].
/// Launch: any grid of two dimensions, [ceil(n / 64), ceil(m / 64), 1] for one tile a block; the
/// block is [256, 1, 1] and no other.
extern "C" __global__ void __launch_bounds__(BLOCK)
    gemm(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, unsigned int m,
         unsigned int n, unsigned int k, float alpha, float beta) {
    gemm_tiles(c, a, b, m, n, k, alpha, beta);
}

/// `gemm` for f16 elements, with sums, `alpha` and `beta` in float.
extern "C" __global__ void __launch_bounds__(BLOCK)
    gemm_f16(__half* __restrict__ c, const __half* __restrict__ a, const __half* __restrict__ b,
             unsigned int m, unsigned int n, unsigned int k, float alpha, float beta) {
    gemm_tiles(c, a, b, m, n, k, alpha, beta);
}

/// `gemm` for bf16 elements, with sums, `alpha` and `beta` in float.
extern "C" __global__ void __launch_bounds__(BLOCK)
    gemm_bf16(__nv_bfloat16* __restrict__ c, const __nv_bfloat16* __restrict__ a,
              const __nv_bfloat16* __restrict__ b, unsigned int m, unsigned int n, unsigned int k,
              float alpha, float beta) {
    gemm_tiles(c, a, b, m, n, k, alpha, beta);
}
