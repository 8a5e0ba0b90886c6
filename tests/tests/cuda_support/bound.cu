// The kernels of the module that `cuda_bound.rs` is bound to.

struct Ramp {
    float start;
    float step;
};

/// `values[i] = start + i * step` for every `i < n`.
extern "C" __global__ void ramp(float* values, Ramp ramp, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = ramp.start + i * ramp.step;
}

namespace math {

/// `output[i] = input[i]` squared.
__global__ void square(float* output, const float* input, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i] * input[i];
}

}

template <typename T>
__global__ void add(T* values, T term, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += term;
}

template __global__ void add<float>(float* values, float term, unsigned int n);
template __global__ void add<int>(int* values, int term, unsigned int n);

// Local to its file, and found by its name all the same.
static __global__ void negate(int* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = -values[i];
}
