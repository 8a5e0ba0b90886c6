// Reductions over a warp and over a one-dimensional block.
//
// A block must be a multiple of 32 threads, at most 1024, and all of them must call. Every thread
// gets the result. A reduction over the block begins with a barrier, so it may be called again at
// once, and whatever the threads wrote to shared memory before the call is visible after it.

#pragma once

constexpr unsigned int WARP_SIZE = 32;
constexpr unsigned int FULL_WARP = 0xffffffffu;
constexpr unsigned int MAX_WARPS = 1024 / WARP_SIZE;

__device__ __forceinline__ float negative_infinity() { return __int_as_float(0xff800000); }

__device__ __forceinline__ float warp_sum(float value) {
    for (unsigned int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(FULL_WARP, value, distance);
    }
    return value;
}

__device__ __forceinline__ float warp_max(float value) {
    for (unsigned int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(FULL_WARP, value, distance));
    }
    return value;
}

__device__ __forceinline__ float block_sum(float value) {
    __shared__ float partial[MAX_WARPS];
    const unsigned int lane = threadIdx.x % WARP_SIZE;
    value = warp_sum(value);
    __syncthreads();
    if (lane == 0) {
        partial[threadIdx.x / WARP_SIZE] = value;
    }
    __syncthreads();
    return warp_sum(lane < blockDim.x / WARP_SIZE ? partial[lane] : 0.0f);
}

__device__ __forceinline__ float block_max(float value) {
    __shared__ float partial[MAX_WARPS];
    const unsigned int lane = threadIdx.x % WARP_SIZE;
    value = warp_max(value);
    __syncthreads();
    if (lane == 0) {
        partial[threadIdx.x / WARP_SIZE] = value;
    }
    __syncthreads();
    return warp_max(lane < blockDim.x / WARP_SIZE ? partial[lane] : negative_infinity());
}
