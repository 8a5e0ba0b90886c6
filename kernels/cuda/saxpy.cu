// The scaled sum of two vectors.

#include "grid_stride.cuh"

/// `y[i] += a * x[i]` for every `i < n`.
///
/// Shapes: `y` and `x` hold `n` elements.
/// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
extern "C" __global__ void __launch_bounds__(1024) saxpy(float* y, const float* x, float a, unsigned int n) {
    for (size_t i = grid_start(); i < n; i += grid_step()) {
        y[i] += a * x[i];
    }
}
