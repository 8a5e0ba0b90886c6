// The kernels that the declarations in this folder get wrong.

#include "params.cuh"

extern "C" __global__ void rms_norm(float* output, const float* input, unsigned int hidden_size, float eps) {}

extern "C" __global__ void convert(__nv_bfloat16* output, const __half* input, float4 scale, size_t count) {}

extern "C" __global__ void fill(void* memory, signed char value, int count) {}

extern "C" __global__ void rope(float* query, RopeParams params) {}

extern "C" __global__ void gather(float* output, const Entry* entries, Opaque mode) {}

#define UNARY(T, NAME) \
    extern "C" __global__ void NAME(T* y, const T* x, unsigned n) {}

UNARY(float, exp_f32)
UNARY(double, exp_f64)

__global__ void scale(float* x, float by) {}

template <typename T>
__global__ void copy(T* to, const T* from, int count) {}

#ifdef WITH_BIAS
extern "C" __global__ void add(float* y, const float* bias) {}
#else
extern "C" __global__ void add(float* y) {}
#endif

struct Rotation {
    float matrix[2][3];
    float scale;
};

extern "C" __global__ void rotate(float (*points)[3], const int (*order)[4], float4 origin, Rotation rotation) {}
