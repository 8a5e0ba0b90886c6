#include <cuda_fp16.h>
struct __align__(16) Wide { float4 a; float b; };
struct Large { unsigned char bytes[4600]; };
extern "C" {
__global__ void scale(float* x, float by, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) x[i] *= by; }
__global__ void mixed(char c, double d, Wide w, const __half* h, short s) { if (h) *(double*)h = d + w.b + c + s; }
__global__ void large(int n, const __grid_constant__ Large l, float* out) { out[n] = l.bytes[n]; }
__global__ void nothing() {}
}
namespace detail { template <class T, int N> __global__ void fill(T* p, T v, unsigned n) { if (n) p[N] = v; } }
template __global__ void detail::fill<float, 4>(float*, float, unsigned);
template __global__ void detail::fill<__half, 2>(__half*, __half, unsigned);
extern "C" __global__ __launch_bounds__(256, 2) void bounded(int* p) { *p = 1; }
#ifdef CLUSTER
extern "C" __global__ __cluster_dims__(2, 1, 1) void clustered(int* p) { *p = 1; }
extern "C" __global__ __block_size__((64, 2, 1)) void blocked(int* p) { *p = 1; }
#endif
