extern "C" __global__ void from_source(float* x) {}
