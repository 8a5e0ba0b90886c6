#include "missing.cuh"
#ifndef BLOCK
#error "BLOCK must be defined"
#endif
extern "C" __global__ void fill(CONST_T float* values, int n) {}
