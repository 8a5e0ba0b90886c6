// Names, types and structs for which a declaration has to be found.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

struct Base { int first; };
struct Derived : Base { double second; };
struct alignas(32) Wide { float values[3]; short _own; };
struct Bits { unsigned low : 4; unsigned high : 12; };
struct Holder { struct Nothing {} nothing; union { int i; float f; }; Bits bits; const float* table; int (*grid)[2]; };
struct rope_params { size_t stride; bool isNeox; unsigned char type; };
struct Option { rope_params inner; __half scale; };
struct Float4 { float x[4]; };
struct Node { Node* self; int (*call)(Node); struct Nothing {} empty; alignas(8) char last; };
struct Hidden;
struct Empty {};
struct alignas(16) EmptyWide {};
struct Empties { Empty each[3]; int n; };
struct EmptyField { EmptyWide wide; int n; };
enum Mode : unsigned short { FIRST };
namespace detail { template <class T, int N> struct Op { T v[N]; }; }
namespace other { struct Option { long long own; }; }

extern "C" {
/** Names that Rust writes otherwise. */
__global__ void addKernel(float* outPtr, const float* KVCache, int numRows2, int __leading, int trailing_) {}
__global__ void move(int type, int in, int self, int crate, int _, int fn) {}
__global__ void add_kernel(int n, int N, int nRows, int n_rows) {}
__global__ void plain$name(int a$b, int) {}
__global__ void structs(Derived d, Wide w, Bits b, Holder h, rope_params r, Option o, Float4 f, detail::Op<float, 4> p, Node node) {}
__global__ void others(other::Option o, Option* behind, const Derived* derived, Hidden* hidden, Mode mode, const Mode* modes) {}
__global__ void sizes(size_t n, const size_t* counts, std::ptrdiff_t d, uint64_t u, unsigned long long ull, long l, intptr_t i) {}
__global__ void floats(__nv_fp8_e8m0 e, const __nv_fp8_e5m2* p, const __nv_fp8_e8m0* q, const volatile float* v) {}
__global__ void empties(Empty e, EmptyWide w, const Empty* p, Empties all) {}
__global__ void empty_field(EmptyField f) {}
__global__ void deep(const float* const* const* a, void* const* b, const void* c, double (*d)[3][2]) {}
}
