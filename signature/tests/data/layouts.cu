// Structs whose layout is easy to get wrong; each kernel takes one by value.
#include <cuda_fp16.h>
#include <stdint.h>

struct Empty {};
struct Inner { char c; double d; };
struct __align__(8) Aligned8 { int x; };
struct alignas(32) Aligned32 { char x; };
struct FieldAligned { char a; alignas(16) char b; char c; };
struct Bits { unsigned a : 3, b : 5; unsigned c : 25; unsigned char d : 7; };
struct BitsZero { int a : 4; int : 0; int b : 4; };
struct BitsMixed { char a; int b : 17; short c : 9; long long d : 40; };
struct BitsUnnamed { char a; int : 5; char b; };
union Mixed { char c[5]; int i; double d; };
union Bytes { unsigned char raw[7]; struct { short a; char b; } s; };
struct Anonymous { int tag; union { float f; double d; }; struct { char x, y; }; };
struct Arrays { short a[3]; char b[2][5]; Inner c[2]; };
struct __attribute__((packed)) Packed { char a; double b; short c; };
struct PackedField { char a; int b __attribute__((packed)); };
#pragma pack(push, 2)
struct Pragma2 { char a; double b; int c; };
#pragma pack(pop)
struct AfterPragma { char a; int b; };
struct Base { int x; char c; };
struct Derived : Base { char d; };
struct Constructed { __host__ __device__ Constructed() : x{0}, c(0) {} int x; char c; };
struct DerivedFromConstructed : Constructed { char d; };
struct EmptyBase : Empty { int x; };
struct TwoBases : Empty, Base { short s; };
class Private { int x; char c; public: __host__ __device__ int get() const { return x + c; } };
struct DerivedFromPrivate : Private { char d; };
struct Reference { int& r; char c; };
struct Member { int Base::* data; void (Base::*function)(int); char c; };
struct Pointers { const float* const* p; void (*f)(int); int (*a)[4]; char last; };
struct Halves { __half h; __half2 h2; char c; };
struct Vectors { char c; float3 a; float4 b; double2 d; uchar3 e; };
enum Small : uint8_t { small_a };
enum class Wide : long { a };
enum Plain { plain_a = -1 };
enum Large { large_a = 0x100000000 };
struct Enums { Small a; Wide b; Plain c; Large d; };
template <class T, int N = 3> struct Array { T data[N]; static constexpr int size = N; int used; };
template <class K, class V> struct Map { Array<K> keys; Array<V, Array<K>::size * 2> values; };
template <class T> struct Node { Node* next; T value; };
struct Static { static const int count = 4; static int* nothing; int x[count]; };
struct Nested { struct Part { char a; short b; } part[2]; enum Mode { on, off } mode; using T = double; T value; };
struct EmptyMembers { Empty a; Empty b; int c; Empty d; };
struct Typed { int a, *b, c[2]; bool d = true; int e{3}; };
struct Methods {
    int x = 1;
    template <class T> __device__ T cast() const { return T(x); }
    __device__ bool operator()(int a, int b) const { return a < b; }
    __device__ Methods& operator+=(const Methods& o) { x += o.x; return *this; }
    explicit operator bool() const { return x; }
    char tail;
};
struct Wide128 { char c; __int128 i; };
typedef struct tagged { float x; char y; } Tagged;
typedef Inner Twice[2];
struct Deep { Derived a; DerivedFromConstructed b; Anonymous c; };

#define KERNEL(T) extern "C" __global__ void k_##T(char first, T value, char last) {}
KERNEL(Empty) KERNEL(Inner) KERNEL(Aligned8) KERNEL(Aligned32) KERNEL(FieldAligned) KERNEL(Bits) KERNEL(BitsZero)
KERNEL(BitsMixed) KERNEL(BitsUnnamed) KERNEL(Mixed) KERNEL(Bytes) KERNEL(Anonymous) KERNEL(Arrays) KERNEL(Packed)
KERNEL(PackedField) KERNEL(Pragma2) KERNEL(AfterPragma) KERNEL(Base) KERNEL(Derived) KERNEL(Constructed)
KERNEL(DerivedFromConstructed) KERNEL(EmptyBase) KERNEL(TwoBases) KERNEL(Private) KERNEL(DerivedFromPrivate)
KERNEL(Reference) KERNEL(Member) KERNEL(Pointers) KERNEL(Halves) KERNEL(Vectors) KERNEL(Small) KERNEL(Wide) KERNEL(Plain)
KERNEL(Large) KERNEL(Enums) KERNEL(Static) KERNEL(Nested) KERNEL(EmptyMembers) KERNEL(Typed) KERNEL(Methods)
KERNEL(Wide128) KERNEL(Tagged) KERNEL(Deep)
extern "C" __global__ void templates(Array<char> a, Array<double, 1> b, Map<short, float> c, Node<char> d) {}
extern "C" __global__ void inside(Nested::Part a, Nested::Mode b, Nested::T c, struct tagged d, Twice e) {}
extern "C" __global__ void vectors(char1 a, char2 b, short3 c, ushort4 d, int1 e, long2 f, ulonglong3 g, longlong4 h,
                                   double1 i, double3 j, float1 k, uchar4 l, double4_32a m, double4_16a n) {}
