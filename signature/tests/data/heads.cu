// Heads and types that are hard to read; every kernel compiles.
#include <array>
#include <cuda/std/array>
#include <cuda_fp16.h>
#include <cstdint>
#include <type_traits>
namespace util { template <class T, int N> struct Vec { T v[N]; __device__ T& operator[](int i) { return v[i]; } }; using f4 = Vec<float, 4>; enum Mode : short { A, B }; struct Cfg { Mode m = A; f4 data{}; int (*cb)(int) = nullptr; }; }
using namespace util;
template <typename T> using Ptr = T* __restrict__;
template <class T> struct Traits { using type = T; static constexpr int n = sizeof(T) * 4; };
template <> struct Traits<double> { using type = float; static constexpr int n = 7; };
template <class T> constexpr int width_v = Traits<T>::n;
constexpr int cdiv(int a, int b = 2) { return (a + b - 1) / b; }
template <int N> struct Fact { static constexpr int v = N * Fact<N - 1>::v; };
template <> struct Fact<0> { static constexpr int v = 1; };
struct Base { virtual void f(); int x; };
struct Outer { struct In { short s; Outer* o; }; In in[2]; union { int a; double b; } u; static constexpr int K = 3; char tail[K]; };
#define ARGS(T) const T* __restrict__ in, T* out, int n
extern "C" __global__ auto k1(const float (*rows)[16], float (&arr)[4]) -> void {}
extern "C" __global__ void __launch_bounds__(width_v<float> * 8, cdiv(3)) k2(Ptr<const float> a, f4 b, util::Cfg c, Mode m) {}
extern "C" __global__ void k3(Traits<double>::type a, Traits<short>::type b, typename Traits<int>::type const c) {}
extern "C" __global__ void __launch_bounds__(Fact<5>::v) k4(ARGS(half), Outer o, Outer::In i) {}
extern "C" __global__ void k5(std::array<int, 3> a, cuda::std::array<double, 2> b, float4 const (*p)[2]) {}
extern "C" __global__ void k6(int a[3][4], int b[], void f(int), int (*g[2])(float), char* const* const argv) {}
extern "C" { namespace deep { typedef unsigned char byte_t; __global__ void k7(byte_t b, float f, bool const& r, std::uint16_t u) {} } }
template <class T, int N = 4> __global__ std::enable_if_t<(N > 2), void> k8(T* x, Vec<T, N> v, const int (&a)[N]);
template <class T, int N> __global__ std::enable_if_t<(N > 2), void> k8(T* x, Vec<T, N> v, const int (&a)[N]) {}
template __global__ void k8<float, 4>(float*, Vec<float, 4>, const int (&)[4]);
extern "C" __global__ void k9(struct Outer* o, enum Mode m, class Base* b, const volatile int* v, unsigned char const c, long long int unsigned z) {}
static_assert(sizeof(Outer) > 3, "x"); extern "C" __global__ void k10(float x = 1.f < 2.f ? 3 : 4, int y = int{3}, Vec<int, (3 > 2 ? 5 : 6)> z = {}) {}
extern "C" __global__ __attribute__((launch_bounds(96))) void k11(bool b, __half2 h, half* hp, int3 i3, short4 s4, ulong2 u) {}
extern "C" __global__ void k12([[maybe_unused]] int n, int /*unnamed*/, float*) {}
namespace a { inline namespace v1 { struct S { int q[3]; }; } namespace { __global__ void k13(v1::S s) {} } } 
extern "C" __global__ void k14(a::S s, ::a::v1::S t, const a::S&u) {}
