// Kernels for the example `find_the_bug`. Some are wrong on purpose.

// output[i] = factor * input[i]
extern "C" __global__ void scale(float *output, const float *input, float factor, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = factor * input[i];
    }
}

// The same. Wrong: `<=` lets one thread write past the end.
extern "C" __global__ void scale_too_far(float *output, const float *input, float factor, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        output[i] = factor * (i < n ? input[i] : 1.0f);
    }
}

// output[i] = (input[i] + input[i + 1]) / 2. Wrong: the last one reads past the end of the input.
extern "C" __global__ void smooth(float *output, const float *input, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = 0.5f * (input[i] + input[i + 1]);
    }
}

// output[i] = table[tokens[i]]. Stops where a token is none of the table.
extern "C" __global__ void look_up(float *output, const float *table, const unsigned *tokens, unsigned vocabulary, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (tokens[i] >= vocabulary) {
            __trap();
        }
        output[i] = table[tokens[i]];
    }
}
