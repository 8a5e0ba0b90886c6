#if 1
extern "C" __global__ void k(float* x) {} /* no end
