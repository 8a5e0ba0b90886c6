// Kernels that do nothing.

/// Three pointers and three values, as an engine's median kernel has.
extern "C" __global__ void six(float* output, const float* input, const float* weight, unsigned int rows,
                               unsigned int columns, float eps) {}

/// Sixteen parameters of mixed kinds.
extern "C" __global__ void sixteen(float* p0, const float* p1, const float* p2, const float* p3, const int* p4,
                                   unsigned int p5, unsigned int p6, unsigned int p7, unsigned int p8, float p9,
                                   float p10, unsigned long long p11, int p12, bool p13, double p14, float* p15) {}
