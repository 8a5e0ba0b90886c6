// Tiles of a matrix, fetched by the tensor memory accelerator. Needs compute capability 9.0.

// The driver's tensor map: 128 opaque bytes, aligned as in CUDA 13. Declared here because the
// driver's header needs the host's C library, which a compiler at run time does not have.
struct alignas(128) CUtensorMap {
    unsigned long long opaque[16];
};

constexpr unsigned int TILE_WIDTH = 64;
constexpr unsigned int TILE_HEIGHT = 32;
constexpr unsigned int TILE_SIZE = TILE_WIDTH * TILE_HEIGHT;

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
    return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

// Makes a barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void init_barrier(unsigned int barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    // The copy engine works through another proxy, and must see the barrier initialised.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void arrive_expecting(unsigned int barrier, unsigned int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void fetch_tile(unsigned int tile, const CUtensorMap* map, int column, int row,
                                           unsigned int barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(tile),
        "l"(map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}

// Waits for the barrier's first phase.
__device__ __forceinline__ void wait_for(unsigned int barrier) {
    unsigned int done = 0;
    while (!done) {
        asm volatile(
            "{\n"
            ".reg .pred complete;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], 0;\n"
            "selp.u32 %0, 1, 0, complete;\n"
            "}"
            : "=r"(done)
            : "r"(barrier)
            : "memory");
    }
}

/// Copies tiles of 32 rows by 64 columns out of a matrix, one after the other. The tile of block
/// (x, y) is the one at column `tile_column + x` and row `tile_row + y` of tiles, which may be
/// negative; what lies outside of the matrix, on any side, reads as zero. Corners are counted in
/// tiles because the copy engine takes none that is not aligned to 16 bytes.
///
/// Shapes: `output` is [gridDim.y, gridDim.x, 32, 64]; `input` describes a float matrix of two
/// dimensions with a box of [64, 32] elements, columns first, no interleave and no swizzle.
/// Launch: any grid of two dimensions; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    tile_copy(float* __restrict__ output, const __grid_constant__ CUtensorMap input, int tile_column,
              int tile_row) {
    __shared__ alignas(128) float tile[TILE_SIZE];
    __shared__ alignas(8) unsigned long long barrier;
    if (threadIdx.x == 0) {
        init_barrier(shared_address(&barrier));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expecting(shared_address(&barrier), sizeof(tile));
        const int column = (tile_column + static_cast<int>(blockIdx.x)) * static_cast<int>(TILE_WIDTH);
        const int row = (tile_row + static_cast<int>(blockIdx.y)) * static_cast<int>(TILE_HEIGHT);
        fetch_tile(shared_address(tile), &input, column, row, shared_address(&barrier));
    }
    wait_for(shared_address(&barrier));
    float* to = output + (static_cast<size_t>(blockIdx.y) * gridDim.x + blockIdx.x) * TILE_SIZE;
    for (unsigned int i = threadIdx.x; i < TILE_SIZE; i += blockDim.x) {
        to[i] = tile[i];
    }
}
