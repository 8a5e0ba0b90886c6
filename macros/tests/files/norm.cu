extern "C" __global__ void rms_norm(float* output, const float* input, unsigned int hidden_size, float eps) {}
