// The kernels of the conformance suite. Each is small enough to be read beside its host function, and what it
// does can be told from memory alone.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// The driver's tensor map: 128 opaque bytes, aligned as in CUDA 13. Declared here because the
// driver's header needs the host's C library, which a compiler at run time does not have.
struct alignas(128) CUtensorMap {
    unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned int global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ unsigned long long nanoseconds_now() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// values[i] = base + i.
extern "C" __global__ void count_up(unsigned int* values, unsigned int n, unsigned int base) {
    unsigned int i = global_thread();
    if (i < n) values[i] = base + i;
}

// values[i] = values[i] * factor + term: two such launches do not commute.
extern "C" __global__ void multiply_add(unsigned int* values, unsigned int n, unsigned int factor, unsigned int term) {
    unsigned int i = global_thread();
    if (i < n) values[i] = values[i] * factor + term;
}

// sums[i] += terms[i].
extern "C" __global__ void accumulate(unsigned int* sums, const unsigned int* terms, unsigned int n) {
    unsigned int i = global_thread();
    if (i < n) sums[i] += terms[i];
}

// Keeps the stream busy for some time, then does as multiply_add. What follows without waiting sees the old values.
extern "C" __global__ void multiply_add_late(unsigned int* values, unsigned int n, unsigned int factor,
                                             unsigned int term, unsigned long long nanoseconds) {
    unsigned long long start = nanoseconds_now();
    while (nanoseconds_now() - start < nanoseconds) __nanosleep(1000);
    unsigned int i = global_thread();
    if (i < n) values[i] = values[i] * factor + term;
}

// The grid and the block as the kernel sees them, and the dynamic shared memory in bytes.
extern "C" __global__ void geometry(unsigned int* seen) {
    if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
        unsigned int shared;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
        seen[0] = gridDim.x;
        seen[1] = gridDim.y;
        seen[2] = gridDim.z;
        seen[3] = blockDim.x;
        seen[4] = blockDim.y;
        seen[5] = blockDim.z;
        seen[6] = shared;
    }
}

// Does nothing and takes nothing.
extern "C" __global__ void nothing() {}

// What each pointer points to, -1 for a null pointer; of the pointer to pointers, what its second leads to and
// that one's address.
extern "C" __global__ void follow_pointers(float* seen, const float* plain, void* untyped, const float* nullable,
                                           float* nullable_mutable, const float* const* pointers,
                                           unsigned long long* address) {
    seen[0] = plain[0];
    seen[1] = static_cast<float>(static_cast<unsigned char*>(untyped)[0]);
    static_cast<unsigned char*>(untyped)[0] += 1;
    seen[2] = nullable ? nullable[0] : -1.0f;
    seen[3] = nullable_mutable ? nullable_mutable[0] : -1.0f;
    if (nullable_mutable) nullable_mutable[0] = 99.0f;
    seen[4] = pointers[1][0];
    address[0] = reinterpret_cast<unsigned long long>(pointers[1]);
}

// Each echo writes the bytes of its value between the bytes of its neighbours, so that a value that is cut or
// shifted shows in what stands beside it.
template <typename T>
__device__ __forceinline__ void echo(unsigned char* seen, unsigned char before, const T& value, unsigned char after) {
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&value);
    seen[0] = before;
    for (unsigned int i = 0; i < sizeof(T); ++i) seen[1 + i] = bytes[i];
    seen[1 + sizeof(T)] = after;
}

#define ECHO(name, type)                                                                                   \
    extern "C" __global__ void echo_##name(unsigned char* seen, unsigned char before, type value, unsigned char after) { \
        echo(seen, before, value, after);                                                                  \
    }

ECHO(bool, bool)
ECHO(i8, signed char)
ECHO(u8, unsigned char)
ECHO(i16, short)
ECHO(u16, unsigned short)
ECHO(i32, int)
ECHO(u32, unsigned int)
ECHO(i64, long long)
ECHO(u64, unsigned long long)
ECHO(isize, long)
ECHO(usize, unsigned long)
ECHO(f32, float)
ECHO(f64, double)
ECHO(f16, __half)
ECHO(bf16, __nv_bfloat16)
ECHO(f8e4m3, __nv_fp8_e4m3)
ECHO(f8e5m2, __nv_fp8_e5m2)

#define ECHO_VECTORS(name)   \
    ECHO(name##1, name##1)   \
    ECHO(name##2, name##2)   \
    ECHO(name##3, name##3)   \
    ECHO(name##4, name##4)

// CUDA 13 names the alignment of the vectors of four 64-bit elements.
#define ECHO_WIDE_VECTORS(name) \
    ECHO(name##1, name##1)      \
    ECHO(name##2, name##2)      \
    ECHO(name##3, name##3)      \
    ECHO(name##4, name##4_16a)

ECHO_VECTORS(char)
ECHO_VECTORS(uchar)
ECHO_VECTORS(short)
ECHO_VECTORS(ushort)
ECHO_VECTORS(int)
ECHO_VECTORS(uint)
ECHO_WIDE_VECTORS(longlong)
ECHO_WIDE_VECTORS(ulonglong)
ECHO_VECTORS(float)
ECHO_WIDE_VECTORS(double)
ECHO(half2, __half2)
ECHO(bfloat162, __nv_bfloat162)

// Padding after the first, the third and the last field.
struct Padded {
    unsigned char a;
    unsigned long long b;
    unsigned short c;
    unsigned int d;
    unsigned char e;
};

struct alignas(16) Aligned {
    float weights[3];
    bool on;
};

struct Nested {
    unsigned char tag;
    Padded padded;
    int2 pair;
    const float* memory;
};

struct Nine {
    unsigned char bytes[9];
};

struct Wide {
    unsigned long long words[40];
};

struct Empty {};

// Field by field: what lies in the padding of a struct is nobody's business.
__device__ __forceinline__ unsigned long long mix(unsigned long long sum, unsigned long long next) {
    return sum * 1000003 + next;
}

__device__ __forceinline__ unsigned long long digest(const Padded& value) {
    return mix(mix(mix(mix(value.a, value.b), value.c), value.d), value.e);
}

extern "C" __global__ void read_structs(unsigned long long* seen, unsigned char first, Padded padded,
                                        unsigned char second, Aligned aligned, unsigned char third, Nested nested,
                                        unsigned char fourth, Nine nine, unsigned char fifth, Empty empty,
                                        unsigned char sixth, Wide wide, unsigned char last) {
    seen[0] = first;
    seen[1] = digest(padded);
    seen[2] = second;
    seen[3] = mix(mix(mix(__float_as_uint(aligned.weights[0]), __float_as_uint(aligned.weights[1])),
                      __float_as_uint(aligned.weights[2])),
                  aligned.on);
    seen[4] = third;
    seen[5] = mix(mix(mix(nested.tag, digest(nested.padded)), static_cast<unsigned int>(nested.pair.x)),
                  static_cast<unsigned int>(nested.pair.y));
    seen[6] = reinterpret_cast<unsigned long long>(nested.memory);
    seen[7] = fourth;
    unsigned long long sum = 0;
    for (unsigned int i = 0; i < 9; ++i) sum = mix(sum, nine.bytes[i]);
    seen[8] = sum;
    seen[9] = fifth;
    seen[10] = sixth;
    sum = 0;
    for (unsigned int i = 0; i < 40; ++i) sum = mix(sum, wide.words[i]);
    seen[11] = sum;
    seen[12] = last;
}

// In place: a copy of the struct need not have its padding.
extern "C" __global__ void echo_padded(unsigned char* seen, unsigned char before,
                                       const __grid_constant__ Padded value, unsigned char after) {
    echo(seen, before, value, after);
}

extern "C" __global__ void echo_tensor_map(unsigned char* seen, unsigned char before,
                                           const __grid_constant__ CUtensorMap value, unsigned char after) {
    echo(seen, before, value, after);
}

// More parameters than a launch keeps on the stack.
#define TEN(x) \
    unsigned int x##0, unsigned int x##1, unsigned int x##2, unsigned int x##3, unsigned int x##4, \
    unsigned int x##5, unsigned int x##6, unsigned int x##7, unsigned int x##8, unsigned int x##9
#define STORE_TEN(x, at)                                                                              \
    seen[at] = x##0; seen[at + 1] = x##1; seen[at + 2] = x##2; seen[at + 3] = x##3; seen[at + 4] = x##4; \
    seen[at + 5] = x##5; seen[at + 6] = x##6; seen[at + 7] = x##7; seen[at + 8] = x##8; seen[at + 9] = x##9;

extern "C" __global__ void seventy(unsigned int* seen, TEN(a), TEN(b), TEN(c), TEN(d), TEN(e), TEN(f), TEN(g)) {
    STORE_TEN(a, 0)
    STORE_TEN(b, 10)
    STORE_TEN(c, 20)
    STORE_TEN(d, 30)
    STORE_TEN(e, 40)
    STORE_TEN(f, 50)
    STORE_TEN(g, 60)
}
