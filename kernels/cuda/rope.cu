// Rotary position embedding, in place.

#include "element.cuh"

// How the heads lie in memory and how fast they turn. 40 bytes: four of padding before
// `token_stride`, seven after `interleaved`.
struct RopeParams {
    // Heads of one token.
    unsigned int head_count;
    // Elements of one head.
    unsigned int head_dim;
    // How many leading elements of a head turn; even, at most `head_dim`.
    unsigned int rotary_dim;
    // Elements from one token to the next, at least `head_count * head_dim`.
    size_t token_stride;
    // The base of the frequencies, 10000 in the original.
    float theta_base;
    // What a position is multiplied by before it turns a pair; 1 for none.
    float position_scale;
    // Whether a pair is two neighbours, or an element and the one half a rotary_dim further.
    bool interleaved;
};

template <typename T>
__device__ __forceinline__ void rope_token(T* data, const unsigned int* positions, RopeParams params) {
    const float position = static_cast<float>(positions[blockIdx.x]) * params.position_scale;
    T* token = data + blockIdx.x * params.token_stride;
    const unsigned int half_dim = params.rotary_dim / 2;
    const size_t pair_count = static_cast<size_t>(params.head_count) * half_dim;
    // A thread owns both elements of a pair, so turning in place races with nobody.
    for (size_t i = threadIdx.x; i < pair_count; i += blockDim.x) {
        const size_t head = i / half_dim;
        const unsigned int pair = static_cast<unsigned int>(i % half_dim);
        const float exponent = static_cast<float>(2 * pair) / static_cast<float>(params.rotary_dim);
        const float angle = position * powf(params.theta_base, -exponent);
        float sine, cosine;
        sincosf(angle, &sine, &cosine);
        const size_t start = head * params.head_dim;
        const size_t first = start + (params.interleaved ? 2 * pair : pair);
        const size_t second = first + (params.interleaved ? 1 : half_dim);
        const float x = to_float(token[first]);
        const float y = to_float(token[second]);
        token[first] = from_float<T>(x * cosine - y * sine);
        token[second] = from_float<T>(x * sine + y * cosine);
    }
}

/// Turns every pair of elements of every head by `position * theta_base^(-2 * pair / rotary_dim)`,
/// in place. Elements past `rotary_dim` stay as they are. The angle is a float: its error grows with
/// the position.
///
/// Shapes: `data` is [tokens, head_count, head_dim] with `token_stride` elements from one token to
/// the next, `positions` is [tokens].
/// Launch: grid [tokens, 1, 1], one block a token; any block, a multiple of 32 up to 1024.
extern "C" __global__ void __launch_bounds__(1024)
    rope(float* __restrict__ data, const unsigned int* __restrict__ positions, RopeParams params) {
    rope_token(data, positions, params);
}

// `rope` for another element type.
#define ROPE(name, T)                                                                              \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        name(T* __restrict__ data, const unsigned int* __restrict__ positions, RopeParams params) { \
        rope_token(data, positions, params);                                                       \
    }

ROPE(rope_f16, __half)
ROPE(rope_bf16, __nv_bfloat16)
