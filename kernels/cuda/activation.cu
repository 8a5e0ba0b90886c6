// Activations, element by element.
//
// A thread reads an element before it writes the one of the same index, so `output` may be an input
// itself: the pointers are not `__restrict__`.

#include "element.cuh"
#include "grid_stride.cuh"

template <typename T>
__device__ __forceinline__ void silu_mul_elements(T* output, const T* gate, const T* up, unsigned int n) {
    for (size_t i = grid_start(); i < n; i += grid_step()) {
        const float x = to_float(gate[i]);
        output[i] = from_float<T>(x / (1.0f + expf(-x)) * to_float(up[i]));
    }
}

template <typename T>
__device__ __forceinline__ void gelu_elements(T* output, const T* input, unsigned int n) {
    const float sqrt_2_over_pi = 0.7978845608f;
    for (size_t i = grid_start(); i < n; i += grid_step()) {
        const float x = to_float(input[i]);
        const float inner = sqrt_2_over_pi * (x + 0.044715f * x * x * x);
        output[i] = from_float<T>(0.5f * x * (1.0f + tanhf(inner)));
    }
}

/// `output = gate * sigmoid(gate) * up`: the gated unit of a SwiGLU feed-forward layer.
///
/// Shapes: `output`, `gate` and `up` hold `n` elements. `output` may be `gate` or `up`.
/// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
extern "C" __global__ void __launch_bounds__(1024)
    silu_mul(float* output, const float* gate, const float* up, unsigned int n) {
    silu_mul_elements(output, gate, up, n);
}

/// `output = 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`: GELU in its tanh form,
/// not the one with the error function.
///
/// Shapes: `output` and `input` hold `n` elements. `output` may be `input`.
/// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
extern "C" __global__ void __launch_bounds__(1024) gelu(float* output, const float* input, unsigned int n) {
    gelu_elements(output, input, n);
}

// The two kernels for another element type.
#define ACTIVATION_KERNELS(suffix, T)                                               \
    extern "C" __global__ void __launch_bounds__(1024)                              \
        silu_mul_##suffix(T* output, const T* gate, const T* up, unsigned int n) {  \
        silu_mul_elements(output, gate, up, n);                                     \
    }                                                                               \
    extern "C" __global__ void __launch_bounds__(1024)                              \
        gelu_##suffix(T* output, const T* input, unsigned int n) {                  \
        gelu_elements(output, input, n);                                            \
    }

ACTIVATION_KERNELS(f16, __half)
ACTIVATION_KERNELS(bf16, __nv_bfloat16)
