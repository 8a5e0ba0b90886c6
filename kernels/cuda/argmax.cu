// The index of the largest element of each row, one block a row.

#include "block_reduce.cuh"

constexpr unsigned int NO_INDEX = 0xffffffffu;

struct Candidate {
    float value;
    unsigned int index;
};

// The larger of two; of two equal ones the first. A NaN compares as neither, and never wins.
__device__ __forceinline__ Candidate better(Candidate a, Candidate b) {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__device__ __forceinline__ Candidate warp_best(Candidate best) {
    for (unsigned int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
        Candidate other;
        other.value = __shfl_xor_sync(FULL_WARP, best.value, distance);
        other.index = __shfl_xor_sync(FULL_WARP, best.index, distance);
        best = better(best, other);
    }
    return best;
}

/// The column of the largest element of each row: greedy sampling from logits. The first of several
/// equal ones wins. NaNs are passed over; a row of nothing else, or of no columns, gives 2^32 - 1.
///
/// Shapes: `output` is [rows], `input` is [rows, column_count].
/// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    argmax(unsigned int* __restrict__ output, const float* __restrict__ input, unsigned int column_count) {
    __shared__ float values[MAX_WARPS];
    __shared__ unsigned int indices[MAX_WARPS];
    const float* row = input + static_cast<size_t>(blockIdx.x) * column_count;
    Candidate best = {negative_infinity(), NO_INDEX};
    for (size_t i = threadIdx.x; i < column_count; i += blockDim.x) {
        best = better(best, Candidate{row[i], static_cast<unsigned int>(i)});
    }
    best = warp_best(best);
    const unsigned int lane = threadIdx.x % WARP_SIZE;
    const unsigned int warp = threadIdx.x / WARP_SIZE;
    if (lane == 0) {
        values[warp] = best.value;
        indices[warp] = best.index;
    }
    __syncthreads();
    if (warp == 0) {
        best = Candidate{negative_infinity(), NO_INDEX};
        if (lane < blockDim.x / WARP_SIZE) {
            best = Candidate{values[lane], indices[lane]};
        }
        best = warp_best(best);
        if (lane == 0) {
            output[blockIdx.x] = best.index;
        }
    }
}
