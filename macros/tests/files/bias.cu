#include "bias.cuh"

#ifdef WITH_BIAS
extern "C" __global__ void add(float* y, const row* bias) {}
#else
extern "C" __global__ void add(float* y) {}
#endif
