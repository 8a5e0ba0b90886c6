// Made by scripts/layouts.py. Above each struct stand its size, its alignment, and the offsets of its members.
#include <cstddef>
#include <cstdint>

constexpr int K = 3;
constexpr int square(int x) { return x * x; }
enum Plain { P0, P1 = 5, P2 };
enum class Scoped : unsigned char { A, B };
enum Negative { N0 = -1, N1 };
enum Wide { W0 = 0xFFFFFFFFu, W1 };
enum Mixed { X0 = 0x7fffffff, X1, X2 = -1 };
enum __attribute__((packed)) Small { S0 = 255, S1 };
enum Sized : uint64_t { Z0 };
template <typename T, int N> struct Vec { T data[N]; int len; };
template <typename A, typename B = char> struct Pair { A first; B second; };
using Row = float[K + 1];
typedef short Half;
typedef struct { int q; char w; } Anonymous;
namespace ns { struct In { double d; char c; }; enum { X = 4 }; }
struct Empty {};

// T0 32 32 m0 0
struct __attribute__((packed)) T0 { int (m0)[(int)2]; } __attribute__((aligned(32)));
__global__ void k_T0(T0 s);

// T1 8 4 m0 0
class T1 { public: float m0 = 1 < 2 ? 3 : 4; private: int hidden; };
__global__ void k_T1(T1 s);

// T2 96 8 m0 8 m1 40 m3 80
struct T2 : public T1 { struct m0S { char x; short y; }; m0S m0[alignof(double)]; T1 m1[1 << 2]; int m2 : 27; ns::In m3; };
__global__ void k_T2(T2 s);

// T3 48 8 m0 0 m1 8 m2 16
struct T3 { __attribute__((packed)) int m0; using m1t = double; m1t m1; Pair<int> m2[ns::X]; static const int m3 = K+1; };
__global__ void k_T3(T3 s);

// T4 128 8 m0 8 m1 12 m2 44 m3 76
struct T4 { __device__ virtual void function() {} char m0; volatile float m1[ns::X][(int)2]; Pair<Vec<int, 2>, char> m2['\x02']; int m3, *m3b, m3c[alignof(double)]; bool m4 : 1; };
__global__ void k_T4(T4 s);

// T5 14 2 m1 10
#pragma pack(push, 2)
struct T5 : public T1 { Plain m0 : 12; Negative m1; };
#pragma pack(pop)
__global__ void k_T5(T5 s);

// T6 38 2 m1 14 m2 22
#pragma pack(push, 2)
struct T6 : public T5 { static const int m0 = static_cast<int>(3); double m1 = (2); unsigned m2[K > 2 ? 4 : 1]; };
#pragma pack(pop)
__global__ void k_T6(T6 s);

// T7 584 8 m0 0 m1 8
class T7 { public: alignas(8) double m0; T2 m1[int(2)][static_cast<int>(3)]; };
__global__ void k_T7(T7 s);

// T8 32 8 m0 0 m1 8 m2 24
struct T8 { char m0[K == 3 ? (2) : 1][3]; Pair<short, double> m1; unsigned m2[10'0 / 50]; };
__global__ void k_T8(T8 s);

// T9 32 8 m0 0 m1 8
class T9 { public: double m0; char m1, *m1b, m1c[int(2)]; unsigned m2 : 25; };
__global__ void k_T9(T9 s);

// T10 32 2 m0 0 m1 8
#pragma pack(push, 2)
struct T10 { size_t m0; long m1[~0u >> 30]; };
#pragma pack(pop)
__global__ void k_T10(T10 s);

// T11 160 16 m0 0 m1 128 m2 136
struct T11 { __host__ __device__ T11() {} T6 m0[K]; [[gnu::aligned(16)]] char m1[ns::X]; void (*m2)(int, float); unsigned long long m3 : 14; };
__global__ void k_T11(T11 s);

// T12 64 8 m0 0 m1 8 m2 40 m3 44 m4 48
struct T12 { long m0; double m1, *m1b, m1c[K == 3 ? (2) : 1]; char m2 = 1; float m3; unsigned char m4[P1][~0u >> 30]; };
__global__ void k_T12(T12 s);

// T13 24 1 m0 0 m1 0
union [[gnu::packed]] T13 { double m0; double m1[K]; };
__global__ void k_T13(T13 s);

// T14 112 8 m1 2 m2 8
struct T14 : public Empty { short m0 : 13; Empty m1; T9 m2[~0u >> 30]; private: int hidden; };
__global__ void k_T14(T14 s);

// T15 32 16 m1 16 m2 20
struct [[gnu::packed]] T15 { long m0 : 61; alignas(16) int m1; unsigned short m2; };
__global__ void k_T15(T15 s);

// T16 96 32 m0 32 m1 36 m2 64
#pragma pack(push, 1)
struct T16 : public T0 { int m0; uint32_t m1; alignas(32) double m2; };
#pragma pack(pop)
__global__ void k_T16(T16 s);

// T17 8 4 m0 0
struct T17 { enum Plain m0; union { int m1a; char m1b[square(2)]; }; };
__global__ void k_T17(T17 s);

// T18 64 1 m0 0 m1 0
union [[gnu::packed]] T18 { double m0[alignof(double)]; char m1[2*K-1]; };
__global__ void k_T18(T18 s);

// T19 24 8 m0 0 m2 6 m4 15
#pragma pack(push, 1)
struct [[gnu::packed]] T19 { alignas(8) char m0; unsigned long long m1 : 39; double m2 = 1 < 2 ? 3 : 4; unsigned m3 : 8; unsigned m4; };
#pragma pack(pop)
__global__ void k_T19(T19 s);

// T20 8 8 m0 0 m1 1
class [[gnu::packed]] T20 { public: alignas(8) char m0; using m1t = int; m1t m1; };
__global__ void k_T20(T20 s);

// T21 160 32 m0 72 m1 74 m2 104 m3 128
struct T21 : public T16 { unsigned short m0; T13 m1; long int unsigned m2; alignas(32) int m3; } __attribute__((aligned(32)));
__global__ void k_T21(T21 s);

// T22 64 32 m0 8 m1 24 m2 32 m3 48
struct T22 { __device__ virtual void function() {} int (m0)[K+1]; Plain m1; alignas(32) float m2; [[gnu::aligned(16)]] char m3[2*K-1]; };
__global__ void k_T22(T22 s);

// T23 16 8 m0 0 m1 0 m2 0 m3 0
union T23 { double m0[int(2)]; int m1[static_cast<int>(3)]; Anonymous m2; double m3; };
__global__ void k_T23(T23 s);

// T24 64 32 m0 0 m1 0 m2 0
union __attribute__((packed)) T24 { Wide m0[(K + 1) * 2]; Half m1; double m2; } __attribute__((aligned(32)));
__global__ void k_T24(T24 s);

// T25 97 1 m1 0
class __attribute__((packed)) T25 { public: unsigned : 0; T20 m1[0x3][K > 2 ? 4 : 1]; char m2 : 2; };
__global__ void k_T25(T25 s);

// T26 320 32 m0 0 m1 32 m2 288 m3 304
struct T26 { __host__ __device__ T26() {} alignas(16) int m0; T0 m1[(K + 1) * 2]; enum { m2x = 0x3 }; int m2[m2x]; double m3; };
__global__ void k_T26(T26 s);

// T27 1 1
struct T27 { static const int m0 = K == 3 ? (2) : 1; };
__global__ void k_T27(T27 s);

// T28 640 8 m0 0 m1 584 m2 616 m4 632
struct T28 { T7 m0; long m1[K > 2 ? 4 : 1]; struct { int m2a; char m2b[(K + 1) * 2]; } m2; union { int m3a; char m3b[K > 2 ? 4 : 1]; }; uint32_t m4; } __attribute__((packed));
__global__ void k_T28(T28 s);

// T29 8 8
struct T29 { long m0 : 13; int m1 : 4; __host__ __device__ int m2() const { return (1); } };
__global__ void k_T29(T29 s);

// T30 2 2 m0 0
union T30 { Half m0; };
__global__ void k_T30(T30 s);

// T31 40 8 m0 0 m1 8 m3 32
struct T31 { long int unsigned m0; char m1, *m1b, m1c[P1]; long m2 : 15; int64_t m3; };
__global__ void k_T31(T31 s);

// T32 32 32 m0 8 m1 12
class T32 { public: __device__ virtual void function() {} __host__ __device__ T32() {} std::uint8_t m0[3]; float m1; private: int hidden; } __attribute__((aligned(32)));
__global__ void k_T32(T32 s);

// T33 69 1 m0 0 m1 16 m2 40 m3 41
#pragma pack(push, 1)
struct T33 { enum { m0x = sizeof(int) }; int m0[m0x]; unsigned long long m1[static_cast<int>(3)]; Empty m2; int m3, *m3b, m3c[ns::X]; };
#pragma pack(pop)
__global__ void k_T33(T33 s);

// T34 648 8
struct T34 : public T28 { unsigned long long : 0; private: int hidden; };
__global__ void k_T34(T34 s);

// T35 16 16 m0 0
#pragma pack(push, 4)
union alignas(16) T35 { char m0; };
#pragma pack(pop)
__global__ void k_T35(T35 s);

// T36 24 1 m0 0 m1 0 m2 0 m3 0
union [[gnu::packed]] T36 { int m0['\x02']; int m1[K > 2 ? 4 : 1]; int m2; Anonymous m3[3]; };
__global__ void k_T36(T36 s);

// T37 24 8 m0 0
struct T37 { float m0, *m0b, m0c['\x02']; };
__global__ void k_T37(T37 s);

// T38 24 8 m0 0 m1 0 m2 0 m3 0
union T38 { Half m0; double m1; double m2[0x3]; int m3[2*K-1]; };
__global__ void k_T38(T38 s);

// T39 56 4 m0 0 m1 16 m2 32
#pragma pack(push, 4)
struct __attribute__((packed)) T39 { size_t m0['\x02']; ::ns::In m1; char m2, *m2b, m2c[alignof(double)]; long m3 : 47; };
#pragma pack(pop)
__global__ void k_T39(T39 s);

// T40 384 32 m0 20 m1 32 m2 352 m3 360 m4 364
struct T40 : public T32 { char m0 = (2); T21 m1[K == 3 ? (2) : 1]; long m2; signed char m3; float m4 = (2); };
__global__ void k_T40(T40 s);

// T41 32 8 m1 4 m2 18 m3 24
class T41 { public: unsigned long long m0 : 29; char m1, *m1b, m1c[K == 3 ? (2) : 1]; char m2 = (2); using m3t = double; m3t m3; };
__global__ void k_T41(T41 s);

// T42 64 32 m3 32
class T42 { public: int m0 : 13; int m1 : 8; Plain m2 : 21; alignas(32) double m3; };
__global__ void k_T42(T42 s);

// T43 8 1 m0 0 m1 0
union __attribute__((packed)) T43 { double m0; Anonymous m1; };
__global__ void k_T43(T43 s);

// T44 4 4
struct T44 { unsigned m0 : 6; };
__global__ void k_T44(T44 s);

// T45 8 4 m0 0
union T45 { Anonymous m0; };
__global__ void k_T45(T45 s);

// T46 24 4 m0 0 m2 4
class T46 { public: __attribute__((packed)) char m0; unsigned char m1 : 5; enum { m2x = 2*K-1 }; int m2[m2x]; };
__global__ void k_T46(T46 s);

// T47 136 2 m0 132
#pragma pack(push, 2)
class T47 : public T21 { public: short m0; unsigned char m1 : 3; };
#pragma pack(pop)
__global__ void k_T47(T47 s);

// T48 16 16 m0 0
struct alignas(16) T48 { Pair<short, double> m0; };
__global__ void k_T48(T48 s);

// T49 64 8 m0 0 m2 12 m4 48
class T49 { public: Wide m0; union { int m1a; char m1b[sizeof(int)]; }; std::uint8_t m2[1 << 2][alignof(double)]; Plain m3 : 14; Pair<Vec<int, 2>, char> m4; };
__global__ void k_T49(T49 s);

// T50 2 1 m0 0
union T50 { char m0['\x02']; } __attribute__((packed));
__global__ void k_T50(T50 s);

// T51 96 32 m0 0 m1 4
#pragma pack(push, 4)
struct T51 { alignas(32) float m0; T17 m1[alignof(double)]; };
#pragma pack(pop)
__global__ void k_T51(T51 s);

// T52 112 8 m0 72 m1 76
struct __attribute__((packed)) T52 : public T33 { alignas(8) float m0; short (*m1[K+1])(int); };
__global__ void k_T52(T52 s);

// T53 28 1 m0 0 m1 20
struct __attribute__((packed)) T53 { int m0, *m0b, m0c[2]; double m1; };
__global__ void k_T53(T53 s);

// T54 88 8 m0 64 m1 72
struct T54 : public T49 { Wide m0; T23 m1; };
__global__ void k_T54(T54 s);

// T55 192 16 m0 108 m1 132 m2 160 m3 168 m4 172
struct [[gnu::packed]] T55 : public T52 { Vec<char, (K)> m0[(K)]; T46 m1; double m2 __attribute__((aligned(16))); int m3 __attribute__((aligned(8))); long int unsigned m4; };
__global__ void k_T55(T55 s);

// T56 16 4 m1 4
struct T56 { union { int m0a; char m0b[(int)2]; }; T43 m1; short m2 : 16; };
__global__ void k_T56(T56 s);

// T57 24 8 m0 8 m1 12 m2 20
#pragma pack(push, 2)
class T57 { public: __device__ virtual void function() {} __host__ __device__ T57() {} alignas(8) float m0; void (*m1)(int, float); int8_t m2; };
#pragma pack(pop)
__global__ void k_T57(T57 s);

// T58 32 32 m0 0 m1 2
#pragma pack(push, 2)
struct T58 { char m0 __attribute__((aligned(16))); Small m1; unsigned m2 : 3; bool m3 : 1; static const int m4 = 3; } __attribute__((aligned(32)));
#pragma pack(pop)
__global__ void k_T58(T58 s);

// T59 64 32 m0 0 m1 32 m3 40 m4 46
struct T59 { T57 m0; alignas(32) double m1; bool : 0; Small m3[0x3]; ::ns::In m4; } __attribute__((packed));
__global__ void k_T59(T59 s);

// T60 16 1 m0 0 m1 0
union [[gnu::packed]] T60 { Anonymous m0[(int)2]; Half m1[K+1]; } __attribute__((packed));
__global__ void k_T60(T60 s);

// T61 4 4
#pragma pack(push, 8)
struct T61 { int m0 : 5; };
#pragma pack(pop)
__global__ void k_T61(T61 s);

// T62 1112 8 m0 0 m1 1088 m2 1096
struct T62 { T47 m0[square(2)][K == 3 ? (2) : 1]; alignas(8) double m1; long int unsigned m2[K == 3 ? (2) : 1]; };
__global__ void k_T62(T62 s);

// T63 28 2 m0 0 m1 8 m3 18 m4 26
#pragma pack(push, 2)
class T63 { public: Wide m0; int64_t m1; int m2 : 16; void (*m3)(int, float); __attribute__((packed)) char m4; } __attribute__((packed));
#pragma pack(pop)
__global__ void k_T63(T63 s);

// T64 20 4 m0 0 m1 16
struct T64 { volatile float m0[K > 2 ? 4 : 1]; char m1 = 1; };
__global__ void k_T64(T64 s);

// T65 64 32 m1 32
struct T65 { short m0 : 3; alignas(32) float m1; };
__global__ void k_T65(T65 s);

// T66 20 1 m0 0
struct T66 { float m0, *m0b, m0c[10'0 / 50]; } __attribute__((packed));
__global__ void k_T66(T66 s);

// T67 64 8 m0 24 m1 40 m2 48 m3 56
class T67 : public T64 { public: struct ns::In m0; Sized m1; Empty m2[K+1]; double m3; };
__global__ void k_T67(T67 s);

// T68 96 32
struct T68 : public T51 { static const int m0 = '\x02'; };
__global__ void k_T68(T68 s);

// T69 10 1 m0 0
class [[gnu::packed]] T69 { public: struct { int m0a; char m0b[int(2)]; } m0; Plain m1 : 15; };
__global__ void k_T69(T69 s);

// T70 32 32 m0 0 m1 8
struct [[gnu::packed]] T70 { void (*m0)(int, float); std::uint8_t m1; } __attribute__((aligned(32)));
__global__ void k_T70(T70 s);

// T71 32 32 m1 4
struct T71 { Plain m0 : 13; volatile float m1; private: int hidden; } __attribute__((aligned(32)));
__global__ void k_T71(T71 s);

// T72 32 32 m0 0
struct T72 { __attribute__((packed)) int m0; unsigned char : 2; unsigned char m2 : 5; } __attribute__((aligned(32)));
__global__ void k_T72(T72 s);

// T73 12 4 m0 0 m1 0 m2 0
union T73 { char m0[~0u >> 30]; int m1[~0u >> 30]; Anonymous m2; };
__global__ void k_T73(T73 s);

// T74 1 1
struct T74 { __host__ __device__ T74() {} bool m0 : 1; };
__global__ void k_T74(T74 s);

// T75 32 16 m1 2 m4 28
struct alignas(16) T75 { int m0 : 11; T13 m1; unsigned char m2 : 6; unsigned char : 6; float m4 = (2); };
__global__ void k_T75(T75 s);

// T76 72 4 m0 4 m1 36 m3 48
#pragma pack(push, 4)
struct T76 : public T61 { __host__ __device__ T76() {} Anonymous m0[square(2)]; size_t m1; unsigned long long m2 : 27; size_t m3[(K)]; };
#pragma pack(pop)
__global__ void k_T76(T76 s);

// T77 128 32 m1 94 m2 100 m3 104 m4 112
struct alignas(16) T77 : public T59 { __device__ virtual void function() {} unsigned char : 0; __attribute__((packed)) int m1; uint32_t m2; Plain m3; long int unsigned m4; };
__global__ void k_T77(T77 s);

// T78 24 4 m0 0 m3 20
struct T78 { Negative m0[sizeof(int)]; __host__ __device__ int m1() const { return (1); } union { int m2a; char m2b[ns::X]; }; volatile float m3; };
__global__ void k_T78(T78 s);

// T79 12 4 m1 4
struct T79 { Plain m0 : 32; __attribute__((packed)) double m1; };
__global__ void k_T79(T79 s);

// T80 42 1 m0 8 m2 17 m4 26
struct __attribute__((packed)) T80 { __device__ virtual void function() {} signed char m0; long m1 : 59; double m2; char m3 : 7; Plain m4[K > 2 ? 4 : 1]; } __attribute__((packed));
__global__ void k_T80(T80 s);

// T81 96 8 m0 0
struct T81 { T8 m0[(K)]; };
__global__ void k_T81(T81 s);

// T82 708 1 m0 644 m1 660 m2 672 m3 680 m4 688
struct [[gnu::packed]] T82 : public T34 { size_t m0[(int)2]; signed char m1[~0u >> 30][square(2)]; double m2 = 1; using m3t = double; m3t m3; float m4, *m4b, m4c[int(2)]; };
__global__ void k_T82(T82 s);

// T83 64 32 m0 0 m1 32 m3 34
struct __attribute__((packed)) T83 { __host__ __device__ T83() {} unsigned char m0; alignas(32) char m1; unsigned char m2 : 6; __attribute__((packed)) float m3; char m4 : 5; private: int hidden; };
__global__ void k_T83(T83 s);

// T84 16 8 m0 0 m1 8 m2 10
#pragma pack(push, 4)
struct T84 { double m0 __attribute__((aligned(8))); __attribute__((packed)) char m1; Half m2; private: char hidden; };
#pragma pack(pop)
__global__ void k_T84(T84 s);

// T85 34 1 m0 32
struct __attribute__((packed)) T85 : public T75 { short m0; };
__global__ void k_T85(T85 s);

// T86 27 1 m1 0 m2 4 m3 12
#pragma pack(push, 1)
struct T86 { static const int m0 = K+1; Negative m1; double m2 = 1; struct m3S { char x; short y; }; m3S m3[P1]; };
#pragma pack(pop)
__global__ void k_T86(T86 s);

// T87 96 16 m2 64 m3 65
#pragma pack(push, 2)
class [[gnu::packed]] T87 : public T22 { public: union { int m0a; char m0b[K+1]; }; short m1 : 3; alignas(16) char m2; int64_t m3['\x02']; };
#pragma pack(pop)
__global__ void k_T87(T87 s);

// T88 128 32 m0 96 m1 104
struct T88 : public T51 { T30 m0; ns::In m1; };
__global__ void k_T88(T88 s);

// T89 8 1 m0 0
#pragma pack(push, 1)
struct T89 { using m0t = double; m0t m0; };
#pragma pack(pop)
__global__ void k_T89(T89 s);

// T90 24 8 m0 8
#pragma pack(push, 8)
struct T90 { __device__ virtual void function() {} ns::In m0; };
#pragma pack(pop)
__global__ void k_T90(T90 s);

// T91 8 2 m0 0
#pragma pack(push, 2)
struct __attribute__((packed)) T91 { float m0; Plain m1 : 28; };
#pragma pack(pop)
__global__ void k_T91(T91 s);

// T92 186 1 m1 122
#pragma pack(push, 2)
struct T92 : public T4 { char m0 : 3; short (*m1[(K + 1) * 2])(int); } __attribute__((packed));
#pragma pack(pop)
__global__ void k_T92(T92 s);

// T93 5 1 m0 0 m1 0
#pragma pack(push, 4)
union [[gnu::packed]] T93 { Half m0; char m1[P1]; };
#pragma pack(pop)
__global__ void k_T93(T93 s);

// T94 96 32 m0 0 m2 20 m4 48
struct T94 { short (*m0['\x02'])(int); union { int m1a; char m1b[10'0 / 50]; }; Anonymous m2[K]; bool : 1; ns::In m4; private: int hidden; } __attribute__((aligned(32)));
__global__ void k_T94(T94 s);

// T95 320 32 m0 0 m2 256 m4 272
struct T95 { __host__ __device__ T95() {} T72 m0[alignof(double)]; __host__ __device__ int m1() const { return (1); } size_t m2[10'0 / 50]; short : 0; T10 m4; };
__global__ void k_T95(T95 s);

// T96 32 16 m0 0 m2 9 m3 21
#pragma pack(push, 8)
struct alignas(16) T96 { double m0 __attribute__((aligned(8))); bool m1 : 1; char m2, *m2b, m2c[K]; signed char m3; } __attribute__((packed));
#pragma pack(pop)
__global__ void k_T96(T96 s);

// T97 8 4 m0 0
union T97 { Anonymous m0; };
__global__ void k_T97(T97 s);

// T98 24 4 m0 0 m1 16
#pragma pack(push, 4)
struct T98 { Pair<Vec<int, 2>, char> m0; void* m1; };
#pragma pack(pop)
__global__ void k_T98(T98 s);

// T99 64 32 m1 1
struct __attribute__((packed)) T99 { char m0 : 1; float m1, *m1b, m1c[~0u >> 30]; long m2 : 58; private: int hidden; } __attribute__((aligned(32)));
__global__ void k_T99(T99 s);

// T100 48 8 m0 24 m1 32
class T100 : public T46 { public: __attribute__((packed)) double m0; int m1[~0u >> 30]; unsigned long long m2 : 24; int m3 : 4; };
__global__ void k_T100(T100 s);

// T101 24 8 m0 0 m2 12
class T101 { public: alignas(8) double m0; Plain m1 : 28; unsigned short m2[~0u >> 30]; short m3 : 8; };
__global__ void k_T101(T101 s);

// T102 80 8 m1 8
struct T102 { Plain m0 : 21; ns::In m1[1 << 2]; unsigned char m2 : 6; };
__global__ void k_T102(T102 s);

// T103 112 16 m0 0 m1 8 m2 32
struct alignas(16) T103 { __host__ __device__ T103() {} char m0 = 1 < 2 ? 3 : 4; short (*m1[0x3])(int); T76 m2; };
__global__ void k_T103(T103 s);

// T104 10 2 m0 0
struct T104 { __attribute__((packed)) double m0; short m1 : 10; bool : 1; };
__global__ void k_T104(T104 s);

// T105 9 1 m1 1
struct __attribute__((packed)) T105 { short m0 : 3; Wide m1; } __attribute__((packed));
__global__ void k_T105(T105 s);

// T106 40 8 m0 0 m1 32
struct T106 { size_t m0[K > 2 ? 4 : 1]; Small m1; };
__global__ void k_T106(T106 s);

// T107 128 32 m0 0 m2 96
class T107 { public: long m0[alignof(double)]; long m1 : 5; alignas(32) float m2; } __attribute__((aligned(32)));
__global__ void k_T107(T107 s);

// T108 40 8 m0 0 m1 8
#pragma pack(push, 8)
struct T108 { enum { m0x = 2 }; int m0[m0x]; T9 m1; };
#pragma pack(pop)
__global__ void k_T108(T108 s);

// T109 32 8 m1 8 m3 14 m4 16
class T109 { public: __device__ virtual void function() {} __host__ __device__ int m0() const { return (1); } int8_t m1[2*K-1]; unsigned char m2 : 6; char m3; void (*m4)(int, float); private: int hidden; };
__global__ void k_T109(T109 s);

// T110 40 8 m0 8 m1 16 m2 32
struct T110 { __device__ virtual void function() {} __attribute__((packed)) int m0; struct ns::In m1; Vec<char, (K)> m2; };
__global__ void k_T110(T110 s);

// T111 96 32 m0 0 m1 32 m2 40 m3 44
#pragma pack(push, 1)
struct T111 { T64 m0; alignas(32) double m1; enum Plain m2; int m3, *m3b, m3c[sizeof(int)]; };
#pragma pack(pop)
__global__ void k_T111(T111 s);

// T112 64 16 m0 0 m2 8 m3 24 m4 48
struct T112 { alignas(8) int m0; union { int m1a; char m1b[10'0 / 50]; }; char m2[K > 2 ? 4 : 1][~0u >> 30]; ::ns::In m3; alignas(16) float m4; };
__global__ void k_T112(T112 s);

// T113 48 16 m0 0 m1 24 m2 32 m3 40
struct alignas(16) T113 { short (*m0[static_cast<int>(3)])(int); const char* m1; std::uint8_t m2; void* m3; };
__global__ void k_T113(T113 s);

// T114 192 32 m0 0 m1 8 m2 32 m4 164
struct T114 { struct { int m0a; char m0b[K]; } m0; size_t m1; T77 m2; union { int m3a; char m3b['\x02']; }; short m4; };
__global__ void k_T114(T114 s);

// T115 4 2
#pragma pack(push, 2)
struct T115 { Plain m0 : 23; };
#pragma pack(pop)
__global__ void k_T115(T115 s);

// T116 32 32
struct T116 { union { int m0a; char m0b[1 << 2]; }; } __attribute__((aligned(32)));
__global__ void k_T116(T116 s);

// T117 81 1 m2 1 m3 65
struct [[gnu::packed]] T117 { unsigned char m0 : 6; Plain : 0; ::ns::In m2[sizeof(int)]; Pair<short, double> m3; };
__global__ void k_T117(T117 s);

// T118 32 8 m0 0 m1 16 m2 24
struct T118 { enum { m0x = 0x3 }; int m0[m0x]; void (*m1)(int, float); short m2; };
__global__ void k_T118(T118 s);

// T119 216 4 m0 0
struct T119 { T76 m0[static_cast<int>(3)]; };
__global__ void k_T119(T119 s);

// T120 10 1 m0 0 m1 2
struct [[gnu::packed]] T120 { uint16_t m0; __attribute__((packed)) double m1; };
__global__ void k_T120(T120 s);

// T121 96 16 m1 2 m2 20
struct alignas(16) T121 { int m0 : 7; struct m1S { char x; short y; }; m1S m1[1 << 2]; Plain m2[alignof(double)][10'0 / 50]; };
__global__ void k_T121(T121 s);

// T122 16 16 m0 4
struct alignas(16) T122 : public T44 { __host__ __device__ T122() {} uint32_t m0; private: int hidden; };
__global__ void k_T122(T122 s);

// T123 16 4 m4 12
struct T123 { bool m0 : 1; char m1 : 6; union { int m2a; char m2b[square(2)]; }; short m3 : 10; int m4 = 1 < 2 ? 3 : 4; };
__global__ void k_T123(T123 s);

// T124 8 2 m1 2
struct T124 { char m0 : 3; Small m1[3]; };
__global__ void k_T124(T124 s);

// T125 148 1 m0 8 m1 16 m2 24 m3 52
struct [[gnu::packed]] T125 { __device__ virtual void function() {} Wide m0; double m1 = 1; int m2, *m2b, m2c[sizeof(int)]; T37 m3[1 << 2]; };
__global__ void k_T125(T125 s);

// T126 12 1 m0 0 m2 4
struct [[gnu::packed]] T126 { float m0; __host__ __device__ int m1() const { return (1); } T17 m2; int : 0; } __attribute__((packed));
__global__ void k_T126(T126 s);

// T127 34 2 m0 8 m2 18
#pragma pack(push, 2)
struct T127 { __device__ virtual void function() {} unsigned long long m0; bool : 1; int64_t m2[10'0 / 50]; };
#pragma pack(pop)
__global__ void k_T127(T127 s);

// T128 160 32 m0 136 m1 144 m2 145 m3 149
struct T128 : public T21 { double m0 = 1 < 2 ? 3 : 4; int8_t m1; __attribute__((packed)) float m2; char m3 = 1 < 2 ? 3 : 4; };
__global__ void k_T128(T128 s);

// T129 80 8 m1 8
#pragma pack(push, 8)
struct T129 { int m0 : 10; short (*m1[(K + 1) * 2])(int); short m2 : 15; };
#pragma pack(pop)
__global__ void k_T129(T129 s);

// T130 96 8 m0 48 m1 72 m2 76 m3 88
struct T130 : public T118, public T84 { float m0, *m0b, m0c[(int)2]; Empty m1[square(2)]; Vec<char, (K)> m2; const char* m3; };
__global__ void k_T130(T130 s);

// T131 20 4 m0 8 m1 16
#pragma pack(push, 4)
struct T131 { __device__ virtual void function() {} enum { m0x = (int)2 }; int m0[m0x]; using m1t = int; m1t m1; };
#pragma pack(pop)
__global__ void k_T131(T131 s);

// T132 136 8 m0 0 m1 8
struct T132 { using m0t = int; m0t m0; void* m1[int(2)][alignof(double)]; };
__global__ void k_T132(T132 s);

// T133 48 1 m0 40
#pragma pack(push, 4)
struct [[gnu::packed]] T133 : public T31 { double m0; };
#pragma pack(pop)
__global__ void k_T133(T133 s);

// T134 32 8 m0 0 m1 8 m2 16 m3 24
struct T134 { int m0; void (*m1)(int, float); unsigned long long m2; int8_t m3; };
__global__ void k_T134(T134 s);

// T135 104 8 m0 0 m1 80 m3 96
struct T135 { T129 m0; int64_t m1; unsigned long long m2 : 45; char m3 __attribute__((aligned(8))); };
__global__ void k_T135(T135 s);

// T136 1 1 m0 0
struct T136 { __host__ __device__ T136() {} Empty m0; };
__global__ void k_T136(T136 s);

// T137 80 1
#pragma pack(push, 1)
struct T137 : public T76 { long m0 : 60; };
#pragma pack(pop)
__global__ void k_T137(T137 s);

// T138 40 8 m0 0 m1 0 m2 0 m3 0
union T138 { Wide m0[0x3]; int m1[square(2)]; Half m2[ns::X]; Anonymous m3[2*K-1]; };
__global__ void k_T138(T138 s);

// T139 192 32 m0 144 m1 160
#pragma pack(push, 4)
struct T139 : public T63, public T52 { __device__ virtual void function() {} __attribute__((packed)) float m0; alignas(16) float m1; bool m2 : 1; unsigned long long m3 : 22; } __attribute__((aligned(32)));
#pragma pack(pop)
__global__ void k_T139(T139 s);

// T140 40 8 m0 0 m1 24 m3 32
struct T140 { char m0, *m0b, m0c[alignof(double)]; __attribute__((packed)) int m1; char m2 : 8; unsigned m3; };
__global__ void k_T140(T140 s);

// T141 32 16 m0 0 m1 8 m2 16
struct alignas(16) T141 { Mixed m0; struct { int m1a; char m1b[1 << 2]; } m1; double m2 = (2); int m3 : 21; };
__global__ void k_T141(T141 s);

// T142 64 1 m0 0 m1 0 m2 0 m3 0
union [[gnu::packed]] T142 { Anonymous m0; int m1[K == 3 ? (2) : 1]; double m2[(K + 1) * 2]; Wide m3; };
__global__ void k_T142(T142 s);

// T143 64 32 m0 0 m1 32
struct alignas(16) T143 { __attribute__((packed)) char m0; alignas(32) double m1; };
__global__ void k_T143(T143 s);

// T144 80 16 m0 48 m1 49 m2 56
#pragma pack(push, 8)
struct alignas(16) T144 : public T113 { __host__ __device__ T144() {} char m0 = 1; char m1; void (*m2)(int, float); private: int hidden; };
#pragma pack(pop)
__global__ void k_T144(T144 s);

// T145 12 4 m1 1
struct T145 { unsigned m0 : 4; T43 m1; bool m2 : 1; };
__global__ void k_T145(T145 s);

// T146 728 1 m0 708
struct [[gnu::packed]] T146 : public T82 { int m0, *m0b, m0c[int(2)]; } __attribute__((packed));
__global__ void k_T146(T146 s);

// T147 56 8 m0 0 m1 40 m2 48
#pragma pack(push, 2)
struct T147 { Wide m0[2*K-1]; unsigned m1; int m2 __attribute__((aligned(8))); };
#pragma pack(pop)
__global__ void k_T147(T147 s);

// T148 272 8 m0 248 m2 256
struct T148 : public T10, public T119 { char m0 = 1; short m1 : 8; const char* m2['\x02']; };
__global__ void k_T148(T148 s);

// T149 160 32 m0 8 m1 16 m3 26 m4 64
struct T149 { __device__ virtual void function() {} double m0; [[gnu::aligned(16)]] float m1[2]; short m2 : 9; Small m3[sizeof(int)]; T94 m4; };
__global__ void k_T149(T149 s);

// T150 120 4 m3 94
class T150 : public T117 { public: bool m0 : 1; union { int m1a; char m1b[2*K-1]; }; short m2 : 16; T13 m3; };
__global__ void k_T150(T150 s);

// T151 62 2 m0 0 m1 8 m2 16 m3 48
#pragma pack(push, 2)
struct T151 { Vec<char, (K)> m0; long int unsigned m1; size_t m2[1 << 2]; char m3, *m3b, m3c[sizeof(int)]; };
#pragma pack(pop)
__global__ void k_T151(T151 s);

// T152 64 4 m0 0 m1 0 m2 0
#pragma pack(push, 4)
union T152 { char m0[K > 2 ? 4 : 1]; Wide m1[(int)2]; Wide m2[(K + 1) * 2]; };
#pragma pack(pop)
__global__ void k_T152(T152 s);

// T153 40 8 m0 8 m2 28
struct T153 { __device__ virtual void function() {} Vec<float, 3> m0; bool m1 : 1; struct { int m2a; char m2b['\x02']; } m2; };
__global__ void k_T153(T153 s);

// T154 56 4 m0 0 m1 8 m2 12 m3 20
#pragma pack(push, 4)
struct [[gnu::packed]] T154 { signed char m0[alignof(double)]; signed char m1[square(2)]; __attribute__((packed)) double m2; T45 m3[square(2)]; Plain m4 : 32; };
#pragma pack(pop)
__global__ void k_T154(T154 s);

// T155 24 4 m0 0
struct T155 { struct m0S { char x; short y; }; m0S m0[2*K-1]; private: int hidden; };
__global__ void k_T155(T155 s);

// T156 696 8 m0 652 m1 654 m3 660 m4 662
struct T156 : public T104, public T28 { short m0; __attribute__((packed)) float m1; unsigned m2 : 12; char m3; struct m4S { char x; short y; }; m4S m4[(K + 1) * 2]; };
__global__ void k_T156(T156 s);

// T157 96 8 m0 32 m1 40 m2 64 m3 68 m4 72
struct [[gnu::packed]] T157 : public T134 { unsigned long long m0; int* m1[static_cast<int>(3)]; alignas(8) int m2; int m3; unsigned long long m4[0x3]; };
__global__ void k_T157(T157 s);

// T158 46 1 m2 6 m3 38
struct T158 { short m0 : 10; union { int m1a; char m1b[10'0 / 50]; }; unsigned char m2[alignof(double)][sizeof(int)]; char m3; long m4 : 56; } __attribute__((packed));
__global__ void k_T158(T158 s);

// T159 64 8 m0 0 m1 0 m2 0 m3 0
union T159 { double m0; Wide m1[(K + 1) * 2]; double m2[10'0 / 50]; Wide m3; };
__global__ void k_T159(T159 s);

// T160 240 16 m0 180
class T160 : public T55 { public: T56 m0[~0u >> 30]; };
__global__ void k_T160(T160 s);

// T161 4 1 m0 0 m1 0
#pragma pack(push, 2)
union __attribute__((packed)) T161 { char m0[K+1]; Half m1; };
#pragma pack(pop)
__global__ void k_T161(T161 s);

// T162 32 32 m0 0
struct T162 { Empty m0; } __attribute__((aligned(32)));
__global__ void k_T162(T162 s);

// T163 45 1 m0 0 m1 8 m3 13
struct __attribute__((packed)) T163 { int64_t m0; unsigned m1; char m2 : 5; volatile float m3[alignof(double)]; };
__global__ void k_T163(T163 s);

// T164 80 16 m0 0 m1 56 m2 68 m3 72
#pragma pack(push, 8)
struct alignas(16) T164 { double m0, *m0b, m0c[P1]; struct m1S { char x; short y; }; m1S m1[3]; Empty m2; int64_t m3; };
#pragma pack(pop)
__global__ void k_T164(T164 s);

// T165 40 1 m1 8 m2 16 m3 24
struct [[gnu::packed]] T165 { __device__ virtual void function() {} __host__ __device__ int m0() const { return (1); } double m1 = 1; using m2t = float[2]; m2t m2; ::ns::In m3; };
__global__ void k_T165(T165 s);

// T166 160 32 m0 0 m1 96 m2 104 m3 112
#pragma pack(push, 8)
class T166 { public: T111 m0; alignas(8) int m1; Mixed m2; float m3, *m3b, m3c[K > 2 ? 4 : 1]; } __attribute__((aligned(32)));
#pragma pack(pop)
__global__ void k_T166(T166 s);

// T167 64 8 m1 1 m3 40
class T167 { public: __host__ __device__ T167() {} unsigned char m0 : 4; T86 m1; unsigned long long m2 : 62; struct m3S { char x; short y; }; m3S m3[sizeof(int)]; unsigned long long m4 : 16; private: char hidden; };
__global__ void k_T167(T167 s);

// T168 84 2 m0 8 m1 24 m2 32 m3 48 m4 52
#pragma pack(push, 2)
struct T168 { __device__ virtual void function() {} T91 m0[(int)2]; void (*m1)(int, float); volatile float m2[ns::X]; enum Plain m3; Vec<char, (K)> m4[square(2)]; };
#pragma pack(pop)
__global__ void k_T168(T168 s);

// T169 16 8
struct T169 { __device__ virtual void function() {} unsigned long long m0 : 35; };
__global__ void k_T169(T169 s);

// T170 64 16 m0 0 m1 32 m2 40 m3 48
class T170 { public: T63 m0; [[gnu::aligned(16)]] int m1[2]; float m2 = (2); float m3 __attribute__((aligned(8))); };
__global__ void k_T170(T170 s);

// T171 16 8 m0 8
struct T171 { __device__ virtual void function() {} __attribute__((packed)) char m0; };
__global__ void k_T171(T171 s);

// T172 40 4 m0 0 m1 0
union T172 { Anonymous m0[2*K-1]; Anonymous m1[ns::X]; };
__global__ void k_T172(T172 s);

// T173 8 2 m0 0
#pragma pack(push, 2)
union T173 { Anonymous m0; };
#pragma pack(pop)
__global__ void k_T173(T173 s);

// T174 20 1 m0 0 m1 16
#pragma pack(push, 2)
struct __attribute__((packed)) T174 { Vec<float, 3> m0; float m1 = 1; };
#pragma pack(pop)
__global__ void k_T174(T174 s);

// T175 168 8 m0 0 m1 24 m2 48 m3 80
struct T175 { char m0, *m0b, m0c[(K + 1) * 2]; int64_t m1[~0u >> 30]; int m2, *m2b, m2c[K]; double m3[2*K-1]['\x02']; unsigned m4 : 13; };
__global__ void k_T175(T175 s);

// T176 1312 16 m0 0 m3 1296
struct T176 { T11 m0[(K + 1) * 2]; unsigned long long : 0; unsigned long long m2 : 15; [[gnu::aligned(16)]] float m3[(int)2]; };
__global__ void k_T176(T176 s);

// T177 32 8 m0 0 m1 24
struct T177 { int m0, *m0b, m0c[10'0 / 50]; char m1; };
__global__ void k_T177(T177 s);

// T178 1 1 m1 0
class T178 { public: static const int m0 = K == 3 ? (2) : 1; bool m1; } __attribute__((packed));
__global__ void k_T178(T178 s);

// T179 48 8 m0 0 m1 12 m2 24 m3 32
class T179 { public: T79 m0; float m1[int(2)]; double m2 = 1; struct { int m3a; char m3b[square(2)]; } m3; long m4 : 10; };
__global__ void k_T179(T179 s);

// T180 16 16 m0 0 m1 0
union alignas(16) T180 { Wide m0[(int)2]; int m1; };
__global__ void k_T180(T180 s);

// T181 13 1 m0 0 m2 9
struct __attribute__((packed)) T181 { union { double m0a; float m0b[int(2)]; } m0; unsigned char m1 : 7; float m2; };
__global__ void k_T181(T181 s);

// T182 8 1 m0 0
struct __attribute__((packed)) T182 { int m0[int(2)]; };
__global__ void k_T182(T182 s);

// T183 44 4 m1 0 m2 16 m3 20 m4 28
struct T183 { static const int m0 = 1 << 2; Row m1; float m2 = (2); __attribute__((packed)) double m3; Negative m4[K+1]; };
__global__ void k_T183(T183 s);

// T184 32 16 m0 0 m1 24
struct alignas(16) T184 { uint16_t m0[0x3][square(2)]; int8_t m1; };
__global__ void k_T184(T184 s);

// T185 16 8 m0 0 m2 5
#pragma pack(push, 8)
struct T185 { __host__ __device__ T185() {} float m0 __attribute__((aligned(8))); char m1 : 8; signed char m2[1 << 2]; };
#pragma pack(pop)
__global__ void k_T185(T185 s);

// T186 48 16 m2 2 m3 12 m4 32
struct T186 { bool m0 : 1; int m1 : 9; Small m2[1 << 2]; T145 m3; alignas(16) int m4; };
__global__ void k_T186(T186 s);

// T187 16 8 m1 8
struct T187 { bool m0 : 1; int64_t m1; };
__global__ void k_T187(T187 s);

// T188 32 8 m1 8
struct T188 { char m0 : 6; void (*m1)(int, float); unsigned m2 : 22; union { int m3a; char m3b[(K + 1) * 2]; }; };
__global__ void k_T188(T188 s);

// T189 112 16 m0 0 m2 94 m3 96
struct alignas(16) T189 { T163 m0['\x02']; long m1 : 23; unsigned short m2; enum { m3x = (int)2 }; int m3[m3x]; };
__global__ void k_T189(T189 s);

// T190 36 1 m0 0 m2 8 m3 24 m4 32
class __attribute__((packed)) T190 { public: void (*m0)(int, float); __host__ __device__ int m1() const { return (1); } Vec<float, 3> m2; void* m3; float m4 = (2); };
__global__ void k_T190(T190 s);

// T191 67 1 m0 59
struct T191 : public T167 { Pair<int> m0; } __attribute__((packed));
__global__ void k_T191(T191 s);

// T192 32 2 m0 0 m2 20
class T192 { public: uint16_t m0[(int)2][P1]; Plain : 0; struct m2S { char x; short y; }; m2S m2[~0u >> 30]; };
__global__ void k_T192(T192 s);

// T193 16 16 m0 0 m1 0 m2 0
union alignas(16) T193 { Wide m0; Anonymous m1; double m2; };
__global__ void k_T193(T193 s);

// T194 32 32 m0 0
#pragma pack(push, 1)
struct T194 { int (m0)[K]; char m1 : 5; } __attribute__((aligned(32)));
#pragma pack(pop)
__global__ void k_T194(T194 s);

// T195 8 8 m0 0 m1 0
union T195 { Half m0; double m1; };
__global__ void k_T195(T195 s);

// T196 16 4 m2 4
struct T196 { Plain m0 : 9; char m1 : 5; unsigned m2[(int)2]; private: char hidden; };
__global__ void k_T196(T196 s);

// T197 96 8 m0 0 m1 16 m2 84
struct T197 { short (*m0[K == 3 ? (2) : 1])(int); T191 m1; int (m2)[3]; };
__global__ void k_T197(T197 s);

// T198 24 8 m1 8
struct T198 { long m0 : 59; Pair<int> m1; unsigned long long m2 : 17; Plain m3 : 7; };
__global__ void k_T198(T198 s);

// T199 24 8 m2 8 m3 16
struct T199 { short : 10; bool : 0; T29 m2; float m3 = 1 < 2 ? 3 : 4; };
__global__ void k_T199(T199 s);

// T200 16 8 m0 8
struct T200 { __device__ virtual void function() {} int8_t m0; };
__global__ void k_T200(T200 s);

// T201 40 1 m0 0 m1 0 m2 0
union __attribute__((packed)) T201 { Wide m0[P1]; int m1[K+1]; double m2; };
__global__ void k_T201(T201 s);

// T202 8 8 m0 0 m1 0 m2 0 m3 0
union T202 { Wide m0; char m1; Anonymous m2; double m3; };
__global__ void k_T202(T202 s);

// T203 88 8 m0 0 m2 10 m4 24
struct T203 { Anonymous m0; char m1 : 8; uint16_t m2[3]; long m3 : 64; T187 m4[1 << 2]; };
__global__ void k_T203(T203 s);

// T204 96 32 m0 64
class T204 : public T147 { public: T35 m0[K == 3 ? (2) : 1]; } __attribute__((aligned(32)));
__global__ void k_T204(T204 s);

// T205 112 8 m0 0 m2 48 m3 56 m4 80
struct T205 { T38 m0[(int)2]; __host__ __device__ int m1() const { return (1); } alignas(8) int m2; short (*m3[(K)])(int); int m4, *m4b, m4c[K]; };
__global__ void k_T205(T205 s);

// T206 232 8 m0 16 m1 96 m3 104
struct T206 : public T181 { Pair<short, double> m0[2*K-1]; char m1 = 1 < 2 ? 3 : 4; unsigned long long m2 : 55; struct ns::In m3[alignof(double)]; };
__global__ void k_T206(T206 s);

// T207 4 1 m0 0 m1 3
#pragma pack(push, 4)
struct T207 { __host__ __device__ T207() {} char m0[static_cast<int>(3)]; int8_t m1; } __attribute__((packed));
#pragma pack(pop)
__global__ void k_T207(T207 s);

// T208 96 32 m0 0
struct T208 { T204 m0; };
__global__ void k_T208(T208 s);

// T209 12 4 m0 0
struct T209 { unsigned m0[2]; bool m1 : 1; short m2 : 10; };
__global__ void k_T209(T209 s);

// T210 160 8 m2 32
struct T210 : public T19 { union { int m0a; char m0b[K > 2 ? 4 : 1]; }; int m1 : 17; long int unsigned m2[K > 2 ? 4 : 1][ns::X]; };
__global__ void k_T210(T210 s);

// T211 64 1 m0 0 m1 0
#pragma pack(push, 2)
union [[gnu::packed]] T211 { Anonymous m0[(K + 1) * 2]; double m1; };
#pragma pack(pop)
__global__ void k_T211(T211 s);

// T212 73 1 m0 0 m1 32 m3 41
struct __attribute__((packed)) T212 { long m0[ns::X]; int64_t m1; bool m2 : 1; int (m3)[alignof(double)]; };
__global__ void k_T212(T212 s);

// T213 43 1 m1 2 m3 27
struct __attribute__((packed)) T213 { unsigned m0 : 10; float m1, *m1b, m1c[(K)]; int m2 : 8; union { double m3a; float m3b[K+1]; } m3; } __attribute__((packed));
__global__ void k_T213(T213 s);

// T214 32 32 m1 8 m3 24
struct T214 { unsigned long long m0 : 56; void (*m1)(int, float); long m2 : 50; struct { int m3a; char m3b[(K)]; } m3; } __attribute__((aligned(32)));
__global__ void k_T214(T214 s);

// T215 120 8 m1 8
struct T215 : public T207 { union { int m0a; char m0b[2]; }; T14 m1; };
__global__ void k_T215(T215 s);

// T216 34 2 m0 0 m1 4 m2 20
#pragma pack(push, 2)
struct T216 { __attribute__((packed)) float m0; short (*m1[(int)2])(int); struct { int m2a; char m2b['\x02']; } m2; int m3 : 27; union { int m4a; char m4b[2]; }; };
#pragma pack(pop)
__global__ void k_T216(T216 s);

// T217 56 8 m0 0 m1 8 m2 40 m4 52
#pragma pack(push, 8)
struct T217 { unsigned char m0; double m1, *m1b, m1c[int(2)]; int (m2)[K == 3 ? (2) : 1]; int m3 : 4; int m4; };
#pragma pack(pop)
__global__ void k_T217(T217 s);

// T218 24 8 m0 0 m1 4 m2 8 m3 16
struct T218 { uint32_t m0; __attribute__((packed)) float m1; void (*m2)(int, float); int m3; };
__global__ void k_T218(T218 s);

// T219 64 8 m1 8 m3 24
struct T219 { union { int m0a; char m0b[square(2)]; }; void (*m1)(int, float); char m2 : 5; Mixed m3[sizeof(int)]; private: int hidden; };
__global__ void k_T219(T219 s);

// T220 4 4
struct T220 { unsigned m0 : 10; };
__global__ void k_T220(T220 s);

// T221 24 8 m1 8
struct T221 { unsigned long long m0 : 17; int64_t m1; short m2 : 11; };
__global__ void k_T221(T221 s);

// T222 40 8 m0 20 m1 24 m2 32
struct T222 : public T174 { signed char m0; const char* m1; __attribute__((packed)) float m2; };
__global__ void k_T222(T222 s);

// T223 1 1 m0 0
union T223 { char m0; };
__global__ void k_T223(T223 s);

// T224 8 8 m0 0
struct T224 { __attribute__((packed)) char m0; short m1 : 10; unsigned long long m2 : 16; };
__global__ void k_T224(T224 s);

// T225 1168 8 m0 1128 m1 1144
struct T225 : public T62, public T181 { T185 m0; struct ns::In m1; static const int m2 = 0x3; short : 11; bool m4 : 1; };
__global__ void k_T225(T225 s);

// T226 16 8 m0 0 m1 1
#pragma pack(push, 8)
struct __attribute__((packed)) T226 { alignas(8) char m0; Half m1[P1]; };
#pragma pack(pop)
__global__ void k_T226(T226 s);

// T227 64 32 m0 0 m1 8 m2 12 m3 28
struct alignas(16) T227 { __host__ __device__ T227() {} size_t m0; using m1t = int; m1t m1; struct m2S { char x; short y; }; m2S m2[sizeof(int)]; Anonymous m3[K == 3 ? (2) : 1]; } __attribute__((aligned(32)));
__global__ void k_T227(T227 s);

// T228 24 8 m1 8
struct T228 { union { int m0a; char m0b[K+1]; }; double m1 = 1; long : 0; short m3 : 11; };
__global__ void k_T228(T228 s);

// T229 18 2 m0 0 m3 10
#pragma pack(push, 2)
struct T229 { double m0; char : 0; unsigned char m2 : 1; Half m3[ns::X]; };
#pragma pack(pop)
__global__ void k_T229(T229 s);

// T230 8 4 m0 0
struct T230 { uint32_t m0[(int)2]; };
__global__ void k_T230(T230 s);

// T231 32 16 m0 0 m1 4 m2 8 m3 16
struct T231 { alignas(8) float m0; volatile float m1; Scoped m2[int(2)]; alignas(16) double m3; };
__global__ void k_T231(T231 s);

// T232 153 1 m0 104 m2 144 m4 149
struct T232 : public T103 { size_t m0[1 << 2]; unsigned long long m1 : 63; short m2; Plain m3 : 23; uint32_t m4; } __attribute__((packed));
__global__ void k_T232(T232 s);

// T233 80 4 m0 0 m1 4 m3 14
#pragma pack(push, 8)
struct T233 { __host__ __device__ T233() {} short m0; Pair<int> m1; Plain m2 : 10; T142 m3; };
#pragma pack(pop)
__global__ void k_T233(T233 s);

// T234 4 4 m0 0
#pragma pack(push, 4)
struct T234 { __host__ __device__ T234() {} float m0 = 1 < 2 ? 3 : 4; };
#pragma pack(pop)
__global__ void k_T234(T234 s);

// T235 72 8 m0 0 m1 4 m2 16 m3 64 m4 68
struct T235 { alignas(8) float m0; struct { int m1a; char m1b[(K)]; } m1; T3 m2; uint32_t m3; __attribute__((packed)) char m4; };
__global__ void k_T235(T235 s);

// T236 8 8 m0 0
struct T236 { int m0 __attribute__((aligned(8))); int m1 : 15; };
__global__ void k_T236(T236 s);

// T237 48 16 m0 0 m1 20 m4 28
#pragma pack(push, 4)
struct alignas(16) T237 { float m0, *m0b, m0c[2]; char m1; unsigned long long m2 : 47; static const int m3 = square(2); int m4[10'0 / 50][2]; private: int hidden; };
#pragma pack(pop)
__global__ void k_T237(T237 s);

// T238 40 8 m0 8 m1 24
struct T238 { __device__ virtual void function() {} int (m0)[static_cast<int>(3)]; ns::In m1; };
__global__ void k_T238(T238 s);

// T239 128 32 m1 36 m2 96
struct [[gnu::packed]] T239 : public T127 { short m0 : 14; const char* m1[2*K-1]; alignas(32) char m2; };
__global__ void k_T239(T239 s);

// T240 880 16 m0 0
class alignas(16) T240 { public: T54 m0[2*K-1]['\x02']; };
__global__ void k_T240(T240 s);

// T241 16 8 m0 0 m1 0 m2 0 m3 0
union T241 { Wide m0[int(2)]; Half m1[ns::X]; char m2; char m3; };
__global__ void k_T241(T241 s);

// T242 56 8 m1 8
struct T242 { long m0 : 33; unsigned m1[3][1 << 2]; };
__global__ void k_T242(T242 s);

// T243 48 1 m0 0 m1 8 m2 16 m3 32
struct __attribute__((packed)) T243 { using m0t = double; m0t m0; Scoped m1[10'0 / 50][sizeof(int)]; Pair<short, double> m2; struct m3S { char x; short y; }; m3S m3[K > 2 ? 4 : 1]; };
__global__ void k_T243(T243 s);

// T244 12 4 m1 0 m4 10
struct T244 { __host__ __device__ int m0() const { return (1); } enum Plain m1; unsigned m2 : 25; short m3 : 15; bool m4; };
__global__ void k_T244(T244 s);

// T245 96 32 m0 0 m1 32 m2 40 m3 56 m4 72
class T245 { public: int m0; alignas(32) double m1; Row m2; union { double m3a; float m3b[0x3]; } m3; float m4['\x02']; } __attribute__((aligned(32)));
__global__ void k_T245(T245 s);

// T246 96 16
struct alignas(16) T246 : public T39, public T221 { unsigned char m0 : 6; __host__ __device__ int m1() const { return (1); } };
__global__ void k_T246(T246 s);

// T247 72 8 m0 0 m3 12 m4 44
struct T247 { Negative m0; short m1 : 9; Plain m2 : 30; int (m3)[alignof(double)]; float m4, *m4b, m4c[1 << 2]; };
__global__ void k_T247(T247 s);

// T248 24 8 m0 0 m1 8 m2 16
struct T248 { Scoped m0['\x02']; long m1; void* m2; };
__global__ void k_T248(T248 s);

// T249 2 2
struct T249 { short m0 : 14; };
__global__ void k_T249(T249 s);

// T250 329 1 m0 304 m1 308 m2 328
#pragma pack(push, 4)
struct [[gnu::packed]] T250 : public T95 { uint32_t m0; struct m1S { char x; short y; }; m1S m1[P1]; signed char m2; };
#pragma pack(pop)
__global__ void k_T250(T250 s);

// T251 64 32 m0 9 m2 12 m3 20 m4 32
struct T251 : public T105 { int8_t m0; unsigned : 0; __attribute__((packed)) double m2; using m3t = int; m3t m3; [[gnu::aligned(16)]] float m4[square(2)]; } __attribute__((aligned(32)));
__global__ void k_T251(T251 s);

// T252 24 4 m0 0 m1 0 m2 0
union T252 { Half m0; char m1; Anonymous m2[static_cast<int>(3)]; };
__global__ void k_T252(T252 s);

// T253 312 8 m0 144 m1 272 m2 304
struct T253 : public T157, public T243 { Pair<short, double> m0[(K + 1) * 2]; T86 m1; float m2 __attribute__((aligned(8))); };
__global__ void k_T253(T253 s);

// T254 32 1 m0 0 m1 0
union [[gnu::packed]] T254 { int m0; Anonymous m1[ns::X]; };
__global__ void k_T254(T254 s);

// T255 82 2
struct T255 : public T137 { short m0 : 2; };
__global__ void k_T255(T255 s);

// T256 272 16 m0 176 m1 184 m2 192 m3 240
struct T256 : public T233, public T81 { double m0 __attribute__((aligned(16))); alignas(8) double m1; Row m2[~0u >> 30]; enum { m3x = P1 }; int m3[m3x]; };
__global__ void k_T256(T256 s);

// T257 12 1 m0 0 m1 8
struct T257 { double m0; unsigned m1; } __attribute__((packed));
__global__ void k_T257(T257 s);

// T258 36 4 m0 0
struct T258 { unsigned m0[3][K]; };
__global__ void k_T258(T258 s);

// T259 48 16 m0 0 m1 16 m2 20 m3 32
class T259 { public: [[gnu::aligned(16)]] int m0[1 << 2]; int m1; struct { int m2a; char m2b[10'0 / 50]; } m2; short (*m3[10'0 / 50])(int); };
__global__ void k_T259(T259 s);

// T260 8 8
struct T260 { long m0 : 63; };
__global__ void k_T260(T260 s);

// T261 160 32 m1 104
struct T261 : public T239 { __host__ __device__ T261() {} Plain m0 : 20; size_t m1[(K)]; union { int m2a; char m2b[2]; }; };
__global__ void k_T261(T261 s);

// T262 296 8 m0 272
struct T262 : public T148 { char m0, *m0b, m0c[K]; };
__global__ void k_T262(T262 s);

// T263 16 8 m0 0 m1 0 m2 0 m3 0
union T263 { Half m0; Half m1; double m2; Half m3[P1]; };
__global__ void k_T263(T263 s);

// T264 48 16 m0 0 m2 16
struct T264 { __attribute__((packed)) char m0; unsigned long long m1 : 10; [[gnu::aligned(16)]] double m2[(K)]; static const int m3 = K+1; };
__global__ void k_T264(T264 s);

// T265 27 1 m0 0 m2 3
#pragma pack(push, 1)
struct T265 { short m0; char m1 : 4; volatile float m2[(int)2][3]; };
#pragma pack(pop)
__global__ void k_T265(T265 s);

// T266 32 32
struct T266 { int : 0; } __attribute__((aligned(32)));
__global__ void k_T266(T266 s);

// T267 3 1 m1 1
struct T267 { unsigned char m0 : 6; unsigned char m1; private: char hidden; };
__global__ void k_T267(T267 s);

// T268 4 1 m0 0
#pragma pack(push, 2)
struct T268 { __attribute__((packed)) int m0; };
#pragma pack(pop)
__global__ void k_T268(T268 s);

// T269 20 4 m0 0 m1 0 m2 0
union T269 { int m0[P1]; char m1; Half m2[10'0 / 50]; };
__global__ void k_T269(T269 s);

// T270 40 8 m0 0 m2 16 m3 24 m4 32
struct T270 { double m0 = 1; unsigned long long m1 : 49; const char* m2; int8_t m3[0x3][(int)2]; alignas(8) double m4; };
__global__ void k_T270(T270 s);

// T271 32 8 m0 0 m1 0 m2 0 m3 0
union T271 { int m0; int m1[alignof(double)]; char m2; Wide m3[sizeof(int)]; };
__global__ void k_T271(T271 s);

// T272 82 2 m0 0 m1 4 m2 16 m3 18
#pragma pack(push, 2)
struct T272 { float m0; int m1[static_cast<int>(3)]; char m2; struct ns::In m3[sizeof(int)]; };
#pragma pack(pop)
__global__ void k_T272(T272 s);

// T273 104 8 m0 0 m1 24 m2 72 m4 76
struct T273 { T120 m0['\x02']; double m1, *m1b, m1c[square(2)]; __attribute__((packed)) char m2; unsigned char m3 : 7; float m4, *m4b, m4c[K+1]; };
__global__ void k_T273(T273 s);

// T274 24 1 m0 0 m1 0
union T274 { Half m0; double m1[K]; } __attribute__((packed));
__global__ void k_T274(T274 s);

// T275 72 1 m0 0 m1 8
struct [[gnu::packed]] T275 { __host__ __device__ T275() {} struct { int m0a; char m0b[(K)]; } m0; Vec<float, 3> m1[square(2)]; } __attribute__((packed));
__global__ void k_T275(T275 s);

// T276 40 8 m0 0 m3 36
struct T276 { size_t m0[ns::X]; unsigned m1 : 28; bool m2 : 1; char m3 = 1 < 2 ? 3 : 4; };
__global__ void k_T276(T276 s);

// T277 32 16 m0 0
struct alignas(16) T277 { __host__ __device__ T277() {} [[gnu::aligned(16)]] double m0[K+1]; };
__global__ void k_T277(T277 s);

// T278 16 16 m1 0
struct alignas(16) T278 { bool : 0; float m1; };
__global__ void k_T278(T278 s);

// T279 16 4
struct T279 : public T104 { union { int m0a; char m0b[1 << 2]; }; };
__global__ void k_T279(T279 s);

// T280 64 32 m0 0 m1 32
struct T280 { alignas(16) float m0; T71 m1; };
__global__ void k_T280(T280 s);

// T281 28 1 m0 0
#pragma pack(push, 1)
struct __attribute__((packed)) T281 { T248 m0; private: int hidden; };
#pragma pack(pop)
__global__ void k_T281(T281 s);

// T282 64 32 m0 8 m1 32 m2 36
struct T282 { __device__ virtual void function() {} long int unsigned m0[3]; float m1 __attribute__((aligned(16))); __attribute__((packed)) int m2; private: char hidden; } __attribute__((aligned(32)));
__global__ void k_T282(T282 s);

// T283 32 32 m0 0 m1 8
class T283 { public: struct m0S { char x; short y; }; m0S m0[(int)2]; struct m1S { char x; short y; }; m1S m1[static_cast<int>(3)]; union { int m2a; char m2b[K > 2 ? 4 : 1]; }; int m3 : 5; } __attribute__((aligned(32)));
__global__ void k_T283(T283 s);

// T284 65 1 m0 16 m1 48 m2 49 m3 57
struct [[gnu::packed]] T284 : public T278 { double m0, *m0b, m0c['\x02']; bool m1; void (*m2)(int, float); Sized m3; };
__global__ void k_T284(T284 s);

// T285 64 16 m1 0 m2 48 m3 56
struct T285 { static const int m0 = ns::X; double m1, *m1b, m1c[square(2)]; alignas(16) double m2; enum Plain m3; static const int m4 = alignof(double); };
__global__ void k_T285(T285 s);

// T286 6 1 m0 0
struct __attribute__((packed)) T286 { __host__ __device__ T286() {} short m0; int m1 : 14; char : 3; unsigned m3 : 15; };
__global__ void k_T286(T286 s);

// T287 8 1 m0 0
struct __attribute__((packed)) T287 { T20 m0; };
__global__ void k_T287(T287 s);

// T288 16 8 m0 0
struct T288 { Pair<short, double> m0; };
__global__ void k_T288(T288 s);

// T289 20 2 m0 0 m1 2 m2 18
class T289 { public: int8_t m0; struct m1S { char x; short y; }; m1S m1[K+1]; uint16_t m2; };
__global__ void k_T289(T289 s);

// T290 128 32 m1 19
struct [[gnu::packed]] T290 : public T228 { __host__ __device__ T290() {} Plain m0 : 7; T121 m1; } __attribute__((aligned(32)));
__global__ void k_T290(T290 s);

// T291 71 1
struct [[gnu::packed]] T291 : public T144 { int m0 : 23; __host__ __device__ int m1() const { return (1); } };
__global__ void k_T291(T291 s);

// T292 8 8 m0 0
struct [[gnu::packed]] T292 { alignas(8) int m0; private: char hidden; };
__global__ void k_T292(T292 s);

// T293 28 4 m0 0 m1 4 m2 8 m3 24
struct T293 { float m0 = (2); int8_t m1; Vec<float, 3> m2; int m3; };
__global__ void k_T293(T293 s);

// T294 8 8 m0 0
struct T294 { long m0; };
__global__ void k_T294(T294 s);

// T295 5672 8 m0 0 m1 8
class T295 { public: double m0 = 1 < 2 ? 3 : 4; T82 m1[(K + 1) * 2]; };
__global__ void k_T295(T295 s);

// T296 8 1 m0 0
struct __attribute__((packed)) T296 { float m0; Plain m1 : 30; };
__global__ void k_T296(T296 s);

// T297 24 8 m0 0
struct T297 { short (*m0[K == 3 ? (2) : 1])(int); private: char hidden; };
__global__ void k_T297(T297 s);

// T298 3 1 m0 0
struct __attribute__((packed)) T298 { short m0; unsigned m1 : 6; };
__global__ void k_T298(T298 s);

// T299 88 1 m1 4 m2 76 m4 85
struct __attribute__((packed)) T299 { Plain m0 : 27; T275 m1; char m2; long m3 : 58; T74 m4[K]; };
__global__ void k_T299(T299 s);
