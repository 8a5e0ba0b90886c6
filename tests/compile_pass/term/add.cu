#include <term.cuh>
#ifdef __CUDACC_RTC__
#include "compiled_at_run_time.cuh"
#endif

extern "C" __global__ void add(float* values, float term, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += TERM(term);
}
