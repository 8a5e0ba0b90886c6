// Kernels that a module is bound to: names, types and comments of every kind.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct Params { unsigned int rows; float scale; };
struct Node;

extern "C" {

/// Adds x[i] to <y>, as in `y[i] += x[i]`; see [the paper](nowhere) and http://example.com.
///
///     for (int i = 0; i < n; ++i) this is no Rust;
///
/// ```
/// nor is this
/// ```
/// @param blockRows one of the rows
__global__ void addKernel(float* y, const float* x, int blockRows, int N) {}

__global__ void match(int type, int self, int, int row__count) {}

__global__ void every_kind(const half* read, __nv_bfloat16* write, void* untyped, const float* const* table, bool flag,
                           float4 vector, Params params, const Params* all, const Node* node, __nv_fp8_e4m3 small,
                           size_t count, float (*tile)[4], CUtensorMap map) {}

__global__ void nothing() {}

}

namespace fft {
__global__ void plain(float* x) {}
}

template <typename T>
__global__ void fill(T* x, T value) {}
template __global__ void fill<float>(float* x, float value);
