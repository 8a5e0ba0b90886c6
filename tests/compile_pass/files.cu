extern "C" __global__ void from_source(float* x) {}
extern "C" __global__ void from_image(float* x) {}
