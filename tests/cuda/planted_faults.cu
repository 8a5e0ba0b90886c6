// The kernels of the planted faults. What each does wrong depends on its arguments alone.

#include <cuda_runtime.h>

// Writes `length` bytes of `pattern`, over and over, from `offset` bytes after `memory` on: within it or not.
extern "C" __global__ void scribble(unsigned char* memory, long long offset, unsigned int length,
                                    unsigned long long pattern) {
    for (unsigned int i = 0; i < length; i++) memory[offset + i] = static_cast<unsigned char>(pattern >> (i % 8 * 8));
}

struct Tile {
    float scale;
    bool interleaved;
    unsigned int dims[2];
};

// Nothing, with arguments of every kind.
extern "C" __global__ void step(float* output, const float* input, const float* bias, unsigned int n, float eps,
                                bool causal, unsigned long long seed, int position, Tile tile) {}

// The same under another name.
extern "C" __global__ void project(float* output, const float* input, const float* bias, unsigned int n, float eps,
                                   bool causal, unsigned long long seed, int position, Tile tile) {}

extern "C" __global__ void store(unsigned int* at, unsigned int value) { *at = value; }

extern "C" __global__ void load(unsigned int* to, const unsigned int* from) { *to = *from; }

// Sixteen bytes at once.
extern "C" __global__ void store_four(unsigned int* at, unsigned int value) {
    *reinterpret_cast<uint4*>(at) = make_uint4(value, value, value, value);
}

// A trap where `token` is none of the vocabulary.
extern "C" __global__ void stop(unsigned int token, unsigned int vocabulary) {
    if (token >= vocabulary) __trap();
}

// What the macro `assert` calls, whose header needs the host's C library.
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function,
                                        size_t char_size);

extern "C" __global__ void check(unsigned int token, unsigned int vocabulary) {
    if (token >= vocabulary) __assertfail("token < vocabulary", "planted_faults.cu", __LINE__, "check", 1);
}

__device__ __noinline__ unsigned int depth_of(unsigned int depth) {
    volatile unsigned int frame[16];
    frame[depth % 16] = depth;
    unsigned int below = depth == 0 ? 0 : depth_of(depth - 1);
    return below + (frame[depth % 16] == depth);
}

// A stack of so many frames.
extern "C" __global__ void descend(unsigned int* reached, unsigned int depth) { *reached = depth_of(depth); }

// Writes to shared memory of 32 words.
extern "C" __global__ void store_shared(unsigned int* seen, unsigned int index) {
    __shared__ volatile unsigned int words[32];
    words[index] = 7;
    *seen = words[0];
}

// Those of the programs on several streams, which are not told how long their memory is: its first word alone.
extern "C" __global__ void mix(unsigned int* output, const unsigned int* input) { *output = *output * 3 + *input + 1; }

extern "C" __global__ void sum(unsigned int* output, const unsigned int* input) { *output ^= *input; }
