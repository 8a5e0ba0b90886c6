// Where a thread of a one-dimensional grid starts, and how far it steps, so that any grid covers
// every element. 64 bits wide: the last step of a large array may pass 2^32.

#pragma once

__device__ __forceinline__ size_t grid_start() {
    return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ size_t grid_step() {
    return static_cast<size_t>(gridDim.x) * blockDim.x;
}
