// Kernels that are templates, and C++ kernels that are none, for the tests of declarations by their names in C++. It
// includes nothing, so that NVRTC compiles it wherever it is.

enum class Rounding : unsigned char { Nearest, Down };

struct Range {
    unsigned int first;
    unsigned int count;
};

struct Pair {
    float a;
    float b;
};

__device__ Pair operator*(Pair x, Pair y) { return {x.a * y.a, x.b * y.b}; }

template <typename T>
struct Accumulator {
    using type = float;
};

template <>
struct Accumulator<double> {
    using type = double;
};

/// `output[i] = factor * input[i]` for every `i < n`, `V` elements a thread.
template <typename T, int V = 1>
__global__ void scale(T* output, const T* __restrict__ input, T factor, unsigned int n) {
    unsigned int first = (blockIdx.x * blockDim.x + threadIdx.x) * V;
    for (unsigned int i = first; i < first + V && i < n; ++i) {
        output[i] = factor * input[i];
    }
}

/// The same, and 1 more: that it was this one, the result tells.
template <>
__global__ void scale<int, 3>(int* output, const int* __restrict__ input, int factor, unsigned int count) {
    unsigned int first = (blockIdx.x * blockDim.x + threadIdx.x) * 3;
    for (unsigned int i = first; i < first + 3 && i < count; ++i) {
        output[i] = factor * input[i] + 1;
    }
}

/// The sum of a range of elements, by one thread, in a type of its own.
template <typename T>
__global__ void sum(typename Accumulator<T>::type* total, const T* values, Range range) {
    typename Accumulator<T>::type all = 0;
    for (unsigned int i = range.first; i < range.first + range.count; ++i) {
        all += values[i];
    }
    *total = all;
}

namespace rounding {

/// Each element as an integer, by one way of rounding.
template <Rounding R>
__global__ void to_int(int* output, const float* input, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = R == Rounding::Down ? __float2int_rd(input[i]) : __float2int_rn(input[i]);
    }
}

}  // namespace rounding

namespace plain {

/// `values[i] = value` for every `i < n`.
__global__ void fill(float* values, float value, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        values[i] = value;
    }
}

}  // namespace plain

// What an image has; NVRTC makes what is declared.
template __global__ void scale<float, 4>(float*, const float*, float, unsigned int);
template __global__ void scale<float>(float*, const float*, float, unsigned int);
template __global__ void scale<double>(double*, const double*, double, unsigned int);
template __global__ void scale<Pair, 2>(Pair*, const Pair*, Pair, unsigned int);
template __global__ void sum<float>(float*, const float*, Range);
template __global__ void sum<double>(double*, const double*, Range);
template __global__ void rounding::to_int<Rounding::Nearest>(int*, const float*, unsigned int);
template __global__ void rounding::to_int<Rounding::Down>(int*, const float*, unsigned int);
