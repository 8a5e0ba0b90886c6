// Elements of one type as elements of another. A template: its instances are at the end.

#include "element.cuh"
#include "grid_stride.cuh"

/// `output[i] = input[i]`, rounded to the nearest element, ties to even.
///
/// Shapes: `output` and `input` hold `n` elements.
/// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
template <typename From, typename To>
__global__ void __launch_bounds__(1024)
    convert(To* __restrict__ output, const From* __restrict__ input, unsigned int n) {
    for (size_t i = grid_start(); i < n; i += grid_step()) {
        output[i] = from_float<To>(to_float(input[i]));
    }
}

#define CONVERT(From, To) template __global__ void convert<From, To>(To*, const From*, unsigned int);

CONVERT(float, __half)
CONVERT(float, __nv_bfloat16)
CONVERT(__half, float)
CONVERT(__half, __nv_bfloat16)
CONVERT(__nv_bfloat16, float)
CONVERT(__nv_bfloat16, __half)
