// The vector types of 32 bytes are deprecated in favour of two that differ in alignment.
#pragma nv_diag_suppress 1444

struct __align__(2) __half { unsigned short bits; };
struct __align__(2) __nv_bfloat16 { unsigned short bits; };
struct __align__(4) __half2 { __half x, y; };
struct __align__(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
struct __nv_fp8_e4m3 { unsigned char bits; };
struct __nv_fp8_e5m2 { unsigned char bits; };
struct __align__(64) CUtensorMap { unsigned long long opaque[16]; };

__device__ __noinline__ unsigned char* put(unsigned char* out, const void* value, unsigned int bytes) {
    const unsigned char* from = static_cast<const unsigned char*>(value);
#pragma unroll 1
    for (unsigned int i = 0; i < bytes; ++i) out[i] = from[i];
    return out + bytes;
}

struct Empty { };
static_assert(sizeof(Empty) == 1 && alignof(Empty) == 1, "the layout of Empty");
struct __align__(16) EmptyAligned16 { };
static_assert(sizeof(EmptyAligned16) == 16 && alignof(EmptyAligned16) == 16, "the layout of EmptyAligned16");
struct One { unsigned char f0; };
static_assert(sizeof(One) == 1 && alignof(One) == 1, "the layout of One");
struct OneTruth { bool f0; };
static_assert(sizeof(OneTruth) == 1 && alignof(OneTruth) == 1, "the layout of OneTruth");
struct Two { unsigned char f0; signed char f1; };
static_assert(sizeof(Two) == 2 && alignof(Two) == 1, "the layout of Two");
struct Three { unsigned char f0[3]; };
static_assert(sizeof(Three) == 3 && alignof(Three) == 1, "the layout of Three");
struct Five { signed char f0[5]; };
static_assert(sizeof(Five) == 5 && alignof(Five) == 1, "the layout of Five");
struct Eight { float f0; unsigned int f1; };
static_assert(sizeof(Eight) == 8 && alignof(Eight) == 4, "the layout of Eight");
struct Nine { unsigned char f0[9]; };
static_assert(sizeof(Nine) == 9 && alignof(Nine) == 1, "the layout of Nine");
struct Sixteen { unsigned int f0; int f1; float f2; float f3; };
static_assert(sizeof(Sixteen) == 16 && alignof(Sixteen) == 4, "the layout of Sixteen");
struct SixtyFour { float f0[16]; };
static_assert(sizeof(SixtyFour) == 64 && alignof(SixtyFour) == 4, "the layout of SixtyFour");
struct HundredTwentyEight { unsigned long long f0[16]; };
static_assert(sizeof(HundredTwentyEight) == 128 && alignof(HundredTwentyEight) == 8, "the layout of HundredTwentyEight");
struct HundredTwentyNine { unsigned char f0[129]; };
static_assert(sizeof(HundredTwentyNine) == 129 && alignof(HundredTwentyNine) == 1, "the layout of HundredTwentyNine");
struct Kilobyte { unsigned long long f0[128]; };
static_assert(sizeof(Kilobyte) == 1024 && alignof(Kilobyte) == 8, "the layout of Kilobyte");
struct ThreeThousandOne { unsigned char f0[3001]; };
static_assert(sizeof(ThreeThousandOne) == 3001 && alignof(ThreeThousandOne) == 1, "the layout of ThreeThousandOne");
struct Padded { unsigned char f0; unsigned int f1; unsigned char f2; unsigned long long f3; unsigned short f4; };
static_assert(sizeof(Padded) == 32 && alignof(Padded) == 8, "the layout of Padded");
struct TailPadded { double f0; bool f1; };
static_assert(sizeof(TailPadded) == 16 && alignof(TailPadded) == 8, "the layout of TailPadded");
struct __align__(16) Aligned16 { float f0[3]; };
static_assert(sizeof(Aligned16) == 16 && alignof(Aligned16) == 16, "the layout of Aligned16");
struct __align__(16) Aligned16Full { unsigned int f0[4]; };
static_assert(sizeof(Aligned16Full) == 16 && alignof(Aligned16Full) == 16, "the layout of Aligned16Full");
struct __align__(64) Aligned64 { unsigned short f0; };
static_assert(sizeof(Aligned64) == 64 && alignof(Aligned64) == 64, "the layout of Aligned64");
struct __align__(128) Aligned128 { unsigned char f0; double f1; };
static_assert(sizeof(Aligned128) == 128 && alignof(Aligned128) == 128, "the layout of Aligned128");
struct Nested { unsigned char f0; Padded f1; unsigned short f2; Aligned16 f3; signed char f4; };
static_assert(sizeof(Nested) == 80 && alignof(Nested) == 16, "the layout of Nested");
struct NestedArrays { bool f0; Padded f1[3]; __half f2; };
static_assert(sizeof(NestedArrays) == 112 && alignof(NestedArrays) == 8, "the layout of NestedArrays");
struct NestedTwice { unsigned char f0; NestedArrays f1[2]; unsigned char f2[5][3]; };
static_assert(sizeof(NestedTwice) == 248 && alignof(NestedTwice) == 8, "the layout of NestedTwice");
struct Floats { __nv_fp8_e4m3 f0; __half f1; __nv_fp8_e5m2 f2; __nv_bfloat16 f3; float f4; double f5; };
static_assert(sizeof(Floats) == 24 && alignof(Floats) == 8, "the layout of Floats");
struct Sizes { size_t f0; bool f1; long f2; short f3; };
static_assert(sizeof(Sizes) == 32 && alignof(Sizes) == 8, "the layout of Sizes");
struct Addresses { unsigned int f0; unsigned char* f1; unsigned char* f2[2]; };
static_assert(sizeof(Addresses) == 32 && alignof(Addresses) == 8, "the layout of Addresses");
struct Vectors { char3 f0; float4 f1; __half2 f2; double3 f3; uchar4 f4; int2 f5[3]; };
static_assert(sizeof(Vectors) == 96 && alignof(Vectors) == 16, "the layout of Vectors");
struct Tuple { unsigned short f0; float f1[2]; unsigned char f2; };
static_assert(sizeof(Tuple) == 16 && alignof(Tuple) == 4, "the layout of Tuple");
struct __align__(16) Random0 { uchar3 f0; char1 f1; bool f2; Aligned16 f3; __nv_fp8_e4m3 f4; unsigned long long f5; unsigned long long f6; int f7[1]; };
static_assert(sizeof(Random0) == 64 && alignof(Random0) == 16, "the layout of Random0");
struct Random1 { unsigned char* f0; int f1; long long f2; Aligned64 f3[2]; bool f4; };
static_assert(sizeof(Random1) == 256 && alignof(Random1) == 64, "the layout of Random1");
struct Random2 { double f0[1]; long f1; Sizes f2; };
static_assert(sizeof(Random2) == 48 && alignof(Random2) == 8, "the layout of Random2");
struct __align__(16) Random3 { ulonglong4 f0; short f1; __nv_bfloat16 f2; Random0 f3[1]; __nv_bfloat16 f4; unsigned char* f5; };
static_assert(sizeof(Random3) == 128 && alignof(Random3) == 16, "the layout of Random3");
struct Random4 { __half f0; unsigned int f1; long long f2; float f3; };
static_assert(sizeof(Random4) == 24 && alignof(Random4) == 8, "the layout of Random4");
struct __align__(32) Random5 { ushort4 f0; Five f1; OneTruth f2; __nv_bfloat16 f3; unsigned char f4; int2 f5; };
static_assert(sizeof(Random5) == 32 && alignof(Random5) == 32, "the layout of Random5");
struct __align__(8) Random6 { size_t f0; __nv_fp8_e4m3 f1; unsigned long long f2[1]; double f3; unsigned long long f4; __nv_fp8_e5m2 f5; long long f6; };
static_assert(sizeof(Random6) == 56 && alignof(Random6) == 8, "the layout of Random6");
struct __align__(8) Random7 { uchar4 f0[1]; long long f1[1]; TailPadded f2; __half f3; };
static_assert(sizeof(Random7) == 40 && alignof(Random7) == 8, "the layout of Random7");
struct Random8 { Eight f0; __nv_bfloat16 f1; uint2 f2[2]; size_t f3; longlong3 f4[1]; unsigned char* f5; __nv_bfloat16 f6; int f7; };
static_assert(sizeof(Random8) == 80 && alignof(Random8) == 8, "the layout of Random8");
struct Random9 { size_t f0; __nv_bfloat16 f1; long long f2; Random7 f3; };
static_assert(sizeof(Random9) == 64 && alignof(Random9) == 8, "the layout of Random9");
struct Random10 { double4 f0; size_t f1; };
static_assert(sizeof(Random10) == 48 && alignof(Random10) == 16, "the layout of Random10");
struct Random11 { unsigned int f0[1]; signed char f1[3]; int f2; unsigned long long f3; Eight f4; unsigned char* f5; uchar3 f6; };
static_assert(sizeof(Random11) == 48 && alignof(Random11) == 8, "the layout of Random11");
struct Random12 { unsigned long long f0; signed char f1; unsigned short f2; TailPadded f3; };
static_assert(sizeof(Random12) == 32 && alignof(Random12) == 8, "the layout of Random12");
struct Random13 { unsigned int f0; unsigned char* f1[1]; Two f2; Five f3; Random6 f4; };
static_assert(sizeof(Random13) == 80 && alignof(Random13) == 8, "the layout of Random13");
struct Random14 { ushort1 f0; float3 f1; __nv_fp8_e4m3 f2; int1 f3[2]; };
static_assert(sizeof(Random14) == 28 && alignof(Random14) == 4, "the layout of Random14");
struct Random15 { int f0; double f1[3]; unsigned char* f2; long long f3; };
static_assert(sizeof(Random15) == 48 && alignof(Random15) == 8, "the layout of Random15");
struct Random16 { unsigned char* f0; __nv_fp8_e5m2 f1[1]; };
static_assert(sizeof(Random16) == 16 && alignof(Random16) == 8, "the layout of Random16");
struct Random17 { unsigned char* f0; size_t f1[2]; signed char f2; };
static_assert(sizeof(Random17) == 32 && alignof(Random17) == 8, "the layout of Random17");
struct __align__(32) Random18 { Random15 f0; long long f1; __nv_fp8_e5m2 f2; short f3[1]; __nv_bfloat16 f4; };
static_assert(sizeof(Random18) == 64 && alignof(Random18) == 32, "the layout of Random18");
struct Random19 { float2 f0; short f1; __half f2; __nv_fp8_e5m2 f3; unsigned long long f4; };
static_assert(sizeof(Random19) == 24 && alignof(Random19) == 8, "the layout of Random19");
struct __align__(8) Random20 { size_t f0; __nv_bfloat16 f1; };
static_assert(sizeof(Random20) == 16 && alignof(Random20) == 8, "the layout of Random20");
struct __align__(32) Random21 { __nv_fp8_e5m2 f0; unsigned short f1; bool f2; };
static_assert(sizeof(Random21) == 32 && alignof(Random21) == 32, "the layout of Random21");
struct __align__(32) Random22 { long f0; Tuple f1; };
static_assert(sizeof(Random22) == 32 && alignof(Random22) == 32, "the layout of Random22");
struct Random23 { long f0; uint1 f1; size_t f2; long f3[2]; };
static_assert(sizeof(Random23) == 40 && alignof(Random23) == 8, "the layout of Random23");
struct Random24 { Random17 f0; float f1; Random11 f2; long f3[1]; signed char f4[2]; ulonglong2 f5; };
static_assert(sizeof(Random24) == 128 && alignof(Random24) == 16, "the layout of Random24");
struct Random25 { uchar1 f0; signed char f1[2]; unsigned int f2; Random21 f3; float f4; };
static_assert(sizeof(Random25) == 96 && alignof(Random25) == 32, "the layout of Random25");
struct Random26 { __half f0; __nv_bfloat16 f1[3]; __nv_fp8_e4m3 f2; };
static_assert(sizeof(Random26) == 10 && alignof(Random26) == 2, "the layout of Random26");
struct __align__(16) Random27 { Tuple f0; unsigned short f1; longlong4 f2; };
static_assert(sizeof(Random27) == 64 && alignof(Random27) == 16, "the layout of Random27");
struct Random28 { unsigned char* f0; float2 f1[3]; Random9 f2; float f3[2]; };
static_assert(sizeof(Random28) == 104 && alignof(Random28) == 8, "the layout of Random28");
struct Random29 { signed char f0; float f1; Random4 f2; __half f3; __nv_bfloat16 f4; };
static_assert(sizeof(Random29) == 40 && alignof(Random29) == 8, "the layout of Random29");
struct __align__(16) Random30 { unsigned char* f0; signed char f1; size_t f2; };
static_assert(sizeof(Random30) == 32 && alignof(Random30) == 16, "the layout of Random30");
struct __align__(8) Random31 { bool f0; };
static_assert(sizeof(Random31) == 8 && alignof(Random31) == 8, "the layout of Random31");
struct __align__(32) Random32 { uchar4 f0; __nv_fp8_e5m2 f1; };
static_assert(sizeof(Random32) == 32 && alignof(Random32) == 32, "the layout of Random32");
struct __align__(8) Random33 { short f0; unsigned char* f1; __nv_fp8_e5m2 f2[3]; __nv_bfloat16 f3; bool f4; unsigned char* f5[1]; };
static_assert(sizeof(Random33) == 32 && alignof(Random33) == 8, "the layout of Random33");
struct Random34 { __nv_fp8_e5m2 f0; __nv_fp8_e5m2 f1; unsigned char* f2[1]; __nv_fp8_e5m2 f3[1]; short4 f4; };
static_assert(sizeof(Random34) == 32 && alignof(Random34) == 8, "the layout of Random34");
struct Random35 { Five f0; };
static_assert(sizeof(Random35) == 5 && alignof(Random35) == 1, "the layout of Random35");
struct __align__(8) Random36 { signed char f0[2]; Random11 f1; bool f2; int2 f3[3]; };
static_assert(sizeof(Random36) == 88 && alignof(Random36) == 8, "the layout of Random36");
struct __align__(32) Random37 { unsigned int f0; };
static_assert(sizeof(Random37) == 32 && alignof(Random37) == 32, "the layout of Random37");
struct Random38 { int f0[3]; unsigned char* f1; __nv_fp8_e5m2 f2; long f3; };
static_assert(sizeof(Random38) == 40 && alignof(Random38) == 8, "the layout of Random38");
struct Random39 { ulonglong4 f0; Sizes f1[1]; Sixteen f2[2]; unsigned char* f3; long f4[3]; Random0 f5; signed char f6; };
static_assert(sizeof(Random39) == 208 && alignof(Random39) == 16, "the layout of Random39");
extern "C" __global__ void k0(unsigned char* out) {
}
extern "C" __global__ void k1(unsigned char* out, bool p0) {
}
extern "C" __global__ void k2(unsigned char* out, const signed char stream) {
}
extern "C" __global__ void k3(unsigned char* out, short p0) {
}
extern "C" __global__ void k4(unsigned char* out, const int p0) {
}
extern "C" __global__ void k5(unsigned char* out, long long p0) {
}
extern "C" __global__ void k6(unsigned char* out, const long p0) {
}
extern "C" __global__ void k7(unsigned char* out, unsigned char stream) {
}
extern "C" __global__ void k8(unsigned char* out, const unsigned short p0) {
}
extern "C" __global__ void k9(unsigned char* out, unsigned int p0) {
}
extern "C" __global__ void k10(unsigned char* out, const unsigned long long p0) {
}
extern "C" __global__ void k11(unsigned char* out, size_t p0) {
}
extern "C" __global__ void k12(unsigned char* out, const float stream) {
}
extern "C" __global__ void k13(unsigned char* out, double p0) {
}
extern "C" __global__ void k14(unsigned char* out, const __half p0) {
}
extern "C" __global__ void k15(unsigned char* out, __nv_bfloat16 p0) {
}
extern "C" __global__ void k16(unsigned char* out, const __nv_fp8_e4m3 p0) {
}
extern "C" __global__ void k17(unsigned char* out, __nv_fp8_e5m2 stream) {
}
extern "C" __global__ void k18(unsigned char* out, const char1 p0) {
}
extern "C" __global__ void k19(unsigned char* out, char2 p0) {
}
extern "C" __global__ void k20(unsigned char* out, const char3 p0) {
}
extern "C" __global__ void k21(unsigned char* out, char4 p0) {
}
extern "C" __global__ void k22(unsigned char* out, const uchar1 stream) {
}
extern "C" __global__ void k23(unsigned char* out, uchar2 p0) {
}
extern "C" __global__ void k24(unsigned char* out, const uchar3 p0) {
}
extern "C" __global__ void k25(unsigned char* out, uchar4 p0) {
}
extern "C" __global__ void k26(unsigned char* out, const short1 p0) {
}
extern "C" __global__ void k27(unsigned char* out, short2 stream) {
}
extern "C" __global__ void k28(unsigned char* out, const short3 p0) {
}
extern "C" __global__ void k29(unsigned char* out, short4 p0) {
}
extern "C" __global__ void k30(unsigned char* out, const ushort1 p0) {
}
extern "C" __global__ void k31(unsigned char* out, ushort2 p0) {
}
extern "C" __global__ void k32(unsigned char* out, const ushort3 stream) {
}
extern "C" __global__ void k33(unsigned char* out, ushort4 p0) {
}
extern "C" __global__ void k34(unsigned char* out, const int1 p0) {
}
extern "C" __global__ void k35(unsigned char* out, int2 p0) {
}
extern "C" __global__ void k36(unsigned char* out, const int3 p0) {
}
extern "C" __global__ void k37(unsigned char* out, int4 stream) {
}
extern "C" __global__ void k38(unsigned char* out, const uint1 p0) {
}
extern "C" __global__ void k39(unsigned char* out, uint2 p0) {
}
extern "C" __global__ void k40(unsigned char* out, const uint3 p0) {
}
extern "C" __global__ void k41(unsigned char* out, uint4 p0) {
}
extern "C" __global__ void k42(unsigned char* out, const longlong1 stream) {
}
extern "C" __global__ void k43(unsigned char* out, longlong2 p0) {
}
extern "C" __global__ void k44(unsigned char* out, const longlong3 p0) {
}
extern "C" __global__ void k45(unsigned char* out, longlong4 p0) {
}
extern "C" __global__ void k46(unsigned char* out, const ulonglong1 p0) {
}
extern "C" __global__ void k47(unsigned char* out, ulonglong2 stream) {
}
extern "C" __global__ void k48(unsigned char* out, const ulonglong3 p0) {
}
extern "C" __global__ void k49(unsigned char* out, ulonglong4 p0) {
}
extern "C" __global__ void k50(unsigned char* out, const float1 p0) {
}
extern "C" __global__ void k51(unsigned char* out, float2 p0) {
}
extern "C" __global__ void k52(unsigned char* out, const float3 stream) {
}
extern "C" __global__ void k53(unsigned char* out, float4 p0) {
}
extern "C" __global__ void k54(unsigned char* out, const double1 p0) {
}
extern "C" __global__ void k55(unsigned char* out, double2 p0) {
}
extern "C" __global__ void k56(unsigned char* out, const double3 p0) {
}
extern "C" __global__ void k57(unsigned char* out, double4 stream) {
}
extern "C" __global__ void k58(unsigned char* out, const __half2 p0) {
}
extern "C" __global__ void k59(unsigned char* out, __nv_bfloat162 p0) {
}
extern "C" __global__ void k60(unsigned char* out, const __grid_constant__ Empty p0) {
}
extern "C" __global__ void k61(unsigned char* out, const __grid_constant__ EmptyAligned16 p0) {
}
extern "C" __global__ void k62(unsigned char* out, const __grid_constant__ One stream) {
}
extern "C" __global__ void k63(unsigned char* out, const __grid_constant__ OneTruth p0) {
}
extern "C" __global__ void k64(unsigned char* out, const __grid_constant__ Two p0) {
}
extern "C" __global__ void k65(unsigned char* out, const __grid_constant__ Three p0) {
}
extern "C" __global__ void k66(unsigned char* out, const __grid_constant__ Five p0) {
}
extern "C" __global__ void k67(unsigned char* out, const __grid_constant__ Eight stream) {
}
extern "C" __global__ void k68(unsigned char* out, const __grid_constant__ Nine p0) {
}
extern "C" __global__ void k69(unsigned char* out, const __grid_constant__ Sixteen p0) {
}
extern "C" __global__ void k70(unsigned char* out, const __grid_constant__ SixtyFour p0) {
}
extern "C" __global__ void k71(unsigned char* out, const __grid_constant__ HundredTwentyEight p0) {
}
extern "C" __global__ void k72(unsigned char* out, const __grid_constant__ HundredTwentyNine stream) {
}
extern "C" __global__ void k73(unsigned char* out, const __grid_constant__ Kilobyte p0) {
}
extern "C" __global__ void k74(unsigned char* out, const __grid_constant__ ThreeThousandOne p0) {
}
extern "C" __global__ void k75(unsigned char* out, const __grid_constant__ Padded p0) {
}
extern "C" __global__ void k76(unsigned char* out, const __grid_constant__ TailPadded p0) {
}
extern "C" __global__ void k77(unsigned char* out, const __grid_constant__ Aligned16 stream) {
}
extern "C" __global__ void k78(unsigned char* out, const __grid_constant__ Aligned16Full p0) {
}
extern "C" __global__ void k79(unsigned char* out, const __grid_constant__ Aligned64 p0) {
}
extern "C" __global__ void k80(unsigned char* out, const __grid_constant__ Aligned128 p0) {
}
extern "C" __global__ void k81(unsigned char* out, const __grid_constant__ Nested p0) {
}
extern "C" __global__ void k82(unsigned char* out, const __grid_constant__ NestedArrays stream) {
}
extern "C" __global__ void k83(unsigned char* out, const __grid_constant__ NestedTwice p0) {
}
extern "C" __global__ void k84(unsigned char* out, const __grid_constant__ Floats p0) {
}
extern "C" __global__ void k85(unsigned char* out, const __grid_constant__ Sizes p0) {
}
extern "C" __global__ void k86(unsigned char* out, const __grid_constant__ Addresses p0) {
}
extern "C" __global__ void k87(unsigned char* out, const __grid_constant__ Vectors stream) {
}
extern "C" __global__ void k88(unsigned char* out, const __grid_constant__ Tuple p0) {
}
extern "C" __global__ void k89(unsigned char* out, const __grid_constant__ Random0 p0) {
}
extern "C" __global__ void k90(unsigned char* out, const __grid_constant__ Random1 p0) {
}
extern "C" __global__ void k91(unsigned char* out, const __grid_constant__ Random2 p0) {
}
extern "C" __global__ void k92(unsigned char* out, const __grid_constant__ Random3 stream) {
}
extern "C" __global__ void k93(unsigned char* out, const __grid_constant__ Random4 p0) {
}
extern "C" __global__ void k94(unsigned char* out, const __grid_constant__ Random5 p0) {
}
extern "C" __global__ void k95(unsigned char* out, const __grid_constant__ Random6 p0) {
}
extern "C" __global__ void k96(unsigned char* out, const __grid_constant__ Random7 p0) {
}
extern "C" __global__ void k97(unsigned char* out, const __grid_constant__ Random8 stream) {
}
extern "C" __global__ void k98(unsigned char* out, const __grid_constant__ Random9 p0) {
}
extern "C" __global__ void k99(unsigned char* out, const __grid_constant__ Random10 p0) {
}
extern "C" __global__ void k100(unsigned char* out, const __grid_constant__ Random11 p0) {
}
extern "C" __global__ void k101(unsigned char* out, const __grid_constant__ Random12 p0) {
}
extern "C" __global__ void k102(unsigned char* out, const __grid_constant__ Random13 stream) {
}
extern "C" __global__ void k103(unsigned char* out, const __grid_constant__ Random14 p0) {
}
extern "C" __global__ void k104(unsigned char* out, const __grid_constant__ Random15 p0) {
}
extern "C" __global__ void k105(unsigned char* out, const __grid_constant__ Random16 p0) {
}
extern "C" __global__ void k106(unsigned char* out, const __grid_constant__ Random17 p0) {
}
extern "C" __global__ void k107(unsigned char* out, const __grid_constant__ Random18 stream) {
}
extern "C" __global__ void k108(unsigned char* out, const __grid_constant__ Random19 p0) {
}
extern "C" __global__ void k109(unsigned char* out, const __grid_constant__ Random20 p0) {
}
extern "C" __global__ void k110(unsigned char* out, const __grid_constant__ Random21 p0) {
}
extern "C" __global__ void k111(unsigned char* out, const __grid_constant__ Random22 p0) {
}
extern "C" __global__ void k112(unsigned char* out, const __grid_constant__ Random23 stream) {
}
extern "C" __global__ void k113(unsigned char* out, const __grid_constant__ Random24 p0) {
}
extern "C" __global__ void k114(unsigned char* out, const __grid_constant__ Random25 p0) {
}
extern "C" __global__ void k115(unsigned char* out, const __grid_constant__ Random26 p0) {
}
extern "C" __global__ void k116(unsigned char* out, const __grid_constant__ Random27 p0) {
}
extern "C" __global__ void k117(unsigned char* out, const __grid_constant__ Random28 stream) {
}
extern "C" __global__ void k118(unsigned char* out, const __grid_constant__ Random29 p0) {
}
extern "C" __global__ void k119(unsigned char* out, const __grid_constant__ Random30 p0) {
}
extern "C" __global__ void k120(unsigned char* out, const __grid_constant__ Random31 p0) {
}
extern "C" __global__ void k121(unsigned char* out, const __grid_constant__ Random32 p0) {
}
extern "C" __global__ void k122(unsigned char* out, const __grid_constant__ Random33 stream) {
}
extern "C" __global__ void k123(unsigned char* out, const __grid_constant__ Random34 p0) {
}
extern "C" __global__ void k124(unsigned char* out, const __grid_constant__ Random35 p0) {
}
extern "C" __global__ void k125(unsigned char* out, const __grid_constant__ Random36 p0) {
}
extern "C" __global__ void k126(unsigned char* out, const __grid_constant__ Random37 p0) {
}
extern "C" __global__ void k127(unsigned char* out, const __grid_constant__ Random38 stream) {
}
extern "C" __global__ void k128(unsigned char* out, const __grid_constant__ Random39 p0) {
}
extern "C" __global__ void k129(unsigned char* out, const void* p0) {
}
extern "C" __global__ void k130(unsigned char* out, const void* p0) {
}
extern "C" __global__ void k131(unsigned char* out, const void* p0) {
}
extern "C" __global__ void k132(unsigned char* out, void* stream) {
}
extern "C" __global__ void k133(unsigned char* out, void* p0) {
}
extern "C" __global__ void k134(unsigned char* out, void* p0) {
}
extern "C" __global__ void k135(unsigned char* out, const float* const* p0) {
}
extern "C" __global__ void k136(unsigned char* out, const float** p0) {
}
extern "C" __global__ void k137(unsigned char* out, float* const* stream) {
}
extern "C" __global__ void k138(unsigned char* out, float** p0) {
}
extern "C" __global__ void k139(unsigned char* out, Sixteen* const* p0) {
}
extern "C" __global__ void k140(unsigned char* out, Sixteen** p0) {
}
extern "C" __global__ void k141(unsigned char* out, unsigned char* const* const* p0) {
}
extern "C" __global__ void k142(unsigned char* out, unsigned char* const** stream) {
}
extern "C" __global__ void k143(unsigned char* out, void* const* p0) {
}
extern "C" __global__ void k144(unsigned char* out, void** p0) {
}
extern "C" __global__ void k145(unsigned char* out, const signed char* p0) {
}
extern "C" __global__ void k146(unsigned char* out, const signed char* p0) {
}
extern "C" __global__ void k147(unsigned char* out, const signed char* stream) {
}
extern "C" __global__ void k148(unsigned char* out, signed char* p0) {
}
extern "C" __global__ void k149(unsigned char* out, signed char* p0) {
}
extern "C" __global__ void k150(unsigned char* out, signed char* p0) {
}
extern "C" __global__ void k151(unsigned char* out, const short* p0) {
}
extern "C" __global__ void k152(unsigned char* out, short* stream) {
}
extern "C" __global__ void k153(unsigned char* out, const int* p0) {
}
extern "C" __global__ void k154(unsigned char* out, int* p0) {
}
extern "C" __global__ void k155(unsigned char* out, const long long* p0) {
}
extern "C" __global__ void k156(unsigned char* out, long long* p0) {
}
extern "C" __global__ void k157(unsigned char* out, const long* stream) {
}
extern "C" __global__ void k158(unsigned char* out, long* p0) {
}
extern "C" __global__ void k159(unsigned char* out, const unsigned char* p0) {
}
extern "C" __global__ void k160(unsigned char* out, unsigned char* p0) {
}
extern "C" __global__ void k161(unsigned char* out, const unsigned short* p0) {
}
extern "C" __global__ void k162(unsigned char* out, const unsigned short* stream) {
}
extern "C" __global__ void k163(unsigned char* out, const unsigned short* p0) {
}
extern "C" __global__ void k164(unsigned char* out, unsigned short* p0) {
}
extern "C" __global__ void k165(unsigned char* out, unsigned short* p0) {
}
extern "C" __global__ void k166(unsigned char* out, unsigned short* p0) {
}
extern "C" __global__ void k167(unsigned char* out, const unsigned int* stream) {
}
extern "C" __global__ void k168(unsigned char* out, unsigned int* p0) {
}
extern "C" __global__ void k169(unsigned char* out, const unsigned long long* p0) {
}
extern "C" __global__ void k170(unsigned char* out, unsigned long long* p0) {
}
extern "C" __global__ void k171(unsigned char* out, const size_t* p0) {
}
extern "C" __global__ void k172(unsigned char* out, size_t* stream) {
}
extern "C" __global__ void k173(unsigned char* out, const float* p0) {
}
extern "C" __global__ void k174(unsigned char* out, float* p0) {
}
extern "C" __global__ void k175(unsigned char* out, const double* p0) {
}
extern "C" __global__ void k176(unsigned char* out, double* p0) {
}
extern "C" __global__ void k177(unsigned char* out, const __half* stream) {
}
extern "C" __global__ void k178(unsigned char* out, const __half* p0) {
}
extern "C" __global__ void k179(unsigned char* out, const __half* p0) {
}
extern "C" __global__ void k180(unsigned char* out, __half* p0) {
}
extern "C" __global__ void k181(unsigned char* out, __half* p0) {
}
extern "C" __global__ void k182(unsigned char* out, __half* stream) {
}
extern "C" __global__ void k183(unsigned char* out, const __nv_bfloat16* p0) {
}
extern "C" __global__ void k184(unsigned char* out, __nv_bfloat16* p0) {
}
extern "C" __global__ void k185(unsigned char* out, const __nv_fp8_e4m3* p0) {
}
extern "C" __global__ void k186(unsigned char* out, __nv_fp8_e4m3* p0) {
}
extern "C" __global__ void k187(unsigned char* out, const __nv_fp8_e5m2* stream) {
}
extern "C" __global__ void k188(unsigned char* out, __nv_fp8_e5m2* p0) {
}
extern "C" __global__ void k189(unsigned char* out, const char1* p0) {
}
extern "C" __global__ void k190(unsigned char* out, char1* p0) {
}
extern "C" __global__ void k191(unsigned char* out, const char4* p0) {
}
extern "C" __global__ void k192(unsigned char* out, char4* stream) {
}
extern "C" __global__ void k193(unsigned char* out, const uchar3* p0) {
}
extern "C" __global__ void k194(unsigned char* out, const uchar3* p0) {
}
extern "C" __global__ void k195(unsigned char* out, const uchar3* p0) {
}
extern "C" __global__ void k196(unsigned char* out, uchar3* p0) {
}
extern "C" __global__ void k197(unsigned char* out, uchar3* stream) {
}
extern "C" __global__ void k198(unsigned char* out, uchar3* p0) {
}
extern "C" __global__ void k199(unsigned char* out, const short2* p0) {
}
extern "C" __global__ void k200(unsigned char* out, short2* p0) {
}
extern "C" __global__ void k201(unsigned char* out, const ushort1* p0) {
}
extern "C" __global__ void k202(unsigned char* out, ushort1* stream) {
}
extern "C" __global__ void k203(unsigned char* out, const ushort4* p0) {
}
extern "C" __global__ void k204(unsigned char* out, ushort4* p0) {
}
extern "C" __global__ void k205(unsigned char* out, const int3* p0) {
}
extern "C" __global__ void k206(unsigned char* out, int3* p0) {
}
extern "C" __global__ void k207(unsigned char* out, const uint2* stream) {
}
extern "C" __global__ void k208(unsigned char* out, uint2* p0) {
}
extern "C" __global__ void k209(unsigned char* out, const longlong1* p0) {
}
extern "C" __global__ void k210(unsigned char* out, const longlong1* p0) {
}
extern "C" __global__ void k211(unsigned char* out, const longlong1* p0) {
}
extern "C" __global__ void k212(unsigned char* out, longlong1* stream) {
}
extern "C" __global__ void k213(unsigned char* out, longlong1* p0) {
}
extern "C" __global__ void k214(unsigned char* out, longlong1* p0) {
}
extern "C" __global__ void k215(unsigned char* out, const longlong4* p0) {
}
extern "C" __global__ void k216(unsigned char* out, longlong4* p0) {
}
extern "C" __global__ void k217(unsigned char* out, const ulonglong3* stream) {
}
extern "C" __global__ void k218(unsigned char* out, ulonglong3* p0) {
}
extern "C" __global__ void k219(unsigned char* out, const float2* p0) {
}
extern "C" __global__ void k220(unsigned char* out, float2* p0) {
}
extern "C" __global__ void k221(unsigned char* out, const double1* p0) {
}
extern "C" __global__ void k222(unsigned char* out, double1* stream) {
}
extern "C" __global__ void k223(unsigned char* out, const double4* p0) {
}
extern "C" __global__ void k224(unsigned char* out, double4* p0) {
}
extern "C" __global__ void k225(unsigned char* out, const One* p0) {
}
extern "C" __global__ void k226(unsigned char* out, const One* p0) {
}
extern "C" __global__ void k227(unsigned char* out, const One* stream) {
}
extern "C" __global__ void k228(unsigned char* out, One* p0) {
}
extern "C" __global__ void k229(unsigned char* out, One* p0) {
}
extern "C" __global__ void k230(unsigned char* out, One* p0) {
}
extern "C" __global__ void k231(unsigned char* out, const Two* p0) {
}
extern "C" __global__ void k232(unsigned char* out, Two* stream) {
}
extern "C" __global__ void k233(unsigned char* out, const Three* p0) {
}
extern "C" __global__ void k234(unsigned char* out, Three* p0) {
}
extern "C" __global__ void k235(unsigned char* out, const Five* p0) {
}
extern "C" __global__ void k236(unsigned char* out, Five* p0) {
}
extern "C" __global__ void k237(unsigned char* out, const Eight* stream) {
}
extern "C" __global__ void k238(unsigned char* out, Eight* p0) {
}
extern "C" __global__ void k239(unsigned char* out, const Nine* p0) {
}
extern "C" __global__ void k240(unsigned char* out, Nine* p0) {
}
extern "C" __global__ void k241(unsigned char* out, const Sixteen* p0) {
}
extern "C" __global__ void k242(unsigned char* out, const Sixteen* stream) {
}
extern "C" __global__ void k243(unsigned char* out, const Sixteen* p0) {
}
extern "C" __global__ void k244(unsigned char* out, Sixteen* p0) {
}
extern "C" __global__ void k245(unsigned char* out, Sixteen* p0) {
}
extern "C" __global__ void k246(unsigned char* out, Sixteen* p0) {
}
extern "C" __global__ void k247(unsigned char* out, const SixtyFour* stream) {
}
extern "C" __global__ void k248(unsigned char* out, SixtyFour* p0) {
}
extern "C" __global__ void k249(unsigned char* out, float* p0, const float* p1, unsigned int p2, const float p3) {
}
extern "C" __global__ void k250(unsigned char* out, float* p0, const float* p1, const float p2, unsigned int p3) {
}
extern "C" __global__ void k251(unsigned char* out, float* p0, const unsigned int p1, const float* p2, const float p3) {
}
extern "C" __global__ void k252(unsigned char* out, float* stream, unsigned int config, const float call, const float* args) {
}
extern "C" __global__ void k253(unsigned char* out, float* p0, const float p1, const float* p2, const unsigned int p3) {
}
extern "C" __global__ void k254(unsigned char* out, float* p0, float p1, const unsigned int p2, const float* p3) {
}
extern "C" __global__ void k255(unsigned char* out, const float* p0, float* p1, unsigned int p2, const float p3) {
}
extern "C" __global__ void k256(unsigned char* out, const float* p0, float* p1, const float p2, unsigned int p3) {
}
extern "C" __global__ void k257(unsigned char* out, const float* stream, const unsigned int config, float* call, const float args) {
}
extern "C" __global__ void k258(unsigned char* out, const float* p0, unsigned int p1, const float p2, float* p3) {
}
extern "C" __global__ void k259(unsigned char* out, const float* p0, const float p1, float* p2, const unsigned int p3) {
}
extern "C" __global__ void k260(unsigned char* out, const float* p0, float p1, const unsigned int p2, float* p3) {
}
extern "C" __global__ void k261(unsigned char* out, unsigned int p0, float* p1, const float* p2, const float p3) {
}
extern "C" __global__ void k262(unsigned char* out, const unsigned int stream, float* config, const float call, const float* args) {
}
extern "C" __global__ void k263(unsigned char* out, unsigned int p0, const float* p1, float* p2, const float p3) {
}
extern "C" __global__ void k264(unsigned char* out, const unsigned int p0, const float* p1, const float p2, float* p3) {
}
extern "C" __global__ void k265(unsigned char* out, unsigned int p0, const float p1, float* p2, const float* p3) {
}
extern "C" __global__ void k266(unsigned char* out, const unsigned int p0, float p1, const float* p2, float* p3) {
}
extern "C" __global__ void k267(unsigned char* out, float stream, float* config, const float* call, const unsigned int args) {
}
extern "C" __global__ void k268(unsigned char* out, const float p0, float* p1, const unsigned int p2, const float* p3) {
}
extern "C" __global__ void k269(unsigned char* out, float p0, const float* p1, float* p2, const unsigned int p3) {
}
extern "C" __global__ void k270(unsigned char* out, const float p0, const float* p1, const unsigned int p2, float* p3) {
}
extern "C" __global__ void k271(unsigned char* out, float p0, const unsigned int p1, float* p2, const float* p3) {
}
extern "C" __global__ void k272(unsigned char* out, const float stream, unsigned int config, const float* call, float* args) {
}
extern "C" __global__ void k273(unsigned char* out, float* p0, float* p1, unsigned long long p2, const unsigned long long p3) {
}
extern "C" __global__ void k274(unsigned char* out, float* p0, float* p1, const unsigned long long p2, unsigned long long p3) {
}
extern "C" __global__ void k275(unsigned char* out, float* p0, const unsigned long long p1, float* p2, const unsigned long long p3) {
}
extern "C" __global__ void k276(unsigned char* out, float* p0, unsigned long long p1, const unsigned long long p2, float* p3) {
}
extern "C" __global__ void k277(unsigned char* out, float* stream, const unsigned long long config, float* call, const unsigned long long args) {
}
extern "C" __global__ void k278(unsigned char* out, float* p0, unsigned long long p1, const unsigned long long p2, float* p3) {
}
extern "C" __global__ void k279(unsigned char* out, float* p0, float* p1, unsigned long long p2, const unsigned long long p3) {
}
extern "C" __global__ void k280(unsigned char* out, float* p0, float* p1, const unsigned long long p2, unsigned long long p3) {
}
extern "C" __global__ void k281(unsigned char* out, float* p0, const unsigned long long p1, float* p2, const unsigned long long p3) {
}
extern "C" __global__ void k282(unsigned char* out, float* stream, unsigned long long config, const unsigned long long call, float* args) {
}
extern "C" __global__ void k283(unsigned char* out, float* p0, const unsigned long long p1, float* p2, const unsigned long long p3) {
}
extern "C" __global__ void k284(unsigned char* out, float* p0, unsigned long long p1, const unsigned long long p2, float* p3) {
}
extern "C" __global__ void k285(unsigned char* out, unsigned long long p0, float* p1, float* p2, const unsigned long long p3) {
}
extern "C" __global__ void k286(unsigned char* out, const unsigned long long p0, float* p1, const unsigned long long p2, float* p3) {
}
extern "C" __global__ void k287(unsigned char* out, unsigned long long stream, float* config, float* call, const unsigned long long args) {
}
extern "C" __global__ void k288(unsigned char* out, const unsigned long long p0, float* p1, const unsigned long long p2, float* p3) {
}
extern "C" __global__ void k289(unsigned char* out, unsigned long long p0, const unsigned long long p1, float* p2, float* p3) {
}
extern "C" __global__ void k290(unsigned char* out, const unsigned long long p0, unsigned long long p1, float* p2, float* p3) {
}
extern "C" __global__ void k291(unsigned char* out, unsigned long long p0, float* p1, float* p2, const unsigned long long p3) {
}
extern "C" __global__ void k292(unsigned char* out, const unsigned long long stream, float* config, const unsigned long long call, float* args) {
}
extern "C" __global__ void k293(unsigned char* out, unsigned long long p0, float* p1, float* p2, const unsigned long long p3) {
}
extern "C" __global__ void k294(unsigned char* out, const unsigned long long p0, float* p1, const unsigned long long p2, float* p3) {
}
extern "C" __global__ void k295(unsigned char* out, unsigned long long p0, const unsigned long long p1, float* p2, float* p3) {
}
extern "C" __global__ void k296(unsigned char* out, const unsigned long long p0, unsigned long long p1, float* p2, float* p3) {
}
extern "C" __global__ void k297(unsigned char* out, const __grid_constant__ CUtensorMap stream) {
}
extern "C" __global__ void k298(unsigned char* out, const __grid_constant__ CUtensorMap p0, double2 p1) {
}
extern "C" __global__ void k299(unsigned char* out, const __grid_constant__ Random19 p0, const __grid_constant__ CUtensorMap p1) {
}
extern "C" __global__ void k300(unsigned char* out, const __grid_constant__ CUtensorMap p0, void* p1, const size_t* p2) {
}
extern "C" __global__ void k301(unsigned char* out, unsigned long long p0, const __grid_constant__ CUtensorMap p1, const __grid_constant__ CUtensorMap p2) {
}
extern "C" __global__ void k302(unsigned char* out, const __grid_constant__ Random22 stream, const double1* config, const __grid_constant__ CUtensorMap call) {
}
extern "C" __global__ void k303(unsigned char* out, const __grid_constant__ CUtensorMap p0, const __grid_constant__ Aligned64 p1, __nv_fp8_e5m2 p2, const unsigned char p3, __nv_fp8_e4m3 p4) {
}
extern "C" __global__ void k304(unsigned char* out, const void* p0, const __grid_constant__ CUtensorMap p1, float** p2, SixtyFour* p3, long long* p4) {
}
extern "C" __global__ void k305(unsigned char* out, char4 p0, const __nv_fp8_e5m2 p1, const __grid_constant__ CUtensorMap p2, const __grid_constant__ Aligned16 p3, const __grid_constant__ Random4 p4) {
}
extern "C" __global__ void k306(unsigned char* out, const int2 p0, const __grid_constant__ Aligned16 p1, const __grid_constant__ CUtensorMap p2, const __grid_constant__ CUtensorMap p3, unsigned short* p4) {
}
extern "C" __global__ void k307(unsigned char* out, const long* stream, const char4 config, short call, const float3 args, const __grid_constant__ CUtensorMap kernel) {
}
extern "C" __global__ void k308(unsigned char* out, const __grid_constant__ CUtensorMap p0, int2 p1, const size_t p2, ushort1* p3, const float** p4, Two* p5, const __grid_constant__ Random36 p6, SixtyFour* p7) {
}
extern "C" __global__ void k309(unsigned char* out, const ushort4* p0, const __grid_constant__ CUtensorMap p1, size_t p2, uchar3* p3, const __grid_constant__ Random13 p4, const __grid_constant__ Random12 p5, unsigned char p6, const long long p7) {
}
extern "C" __global__ void k310(unsigned char* out, const long long p0, const char4* p1, const __grid_constant__ CUtensorMap p2, long p3, const __grid_constant__ Aligned64 p4, const __grid_constant__ HundredTwentyNine p5, const double* p6, ulonglong1 p7) {
}
extern "C" __global__ void k311(unsigned char* out, const double* p0, const short2 p1, double* p2, const __grid_constant__ CUtensorMap p3, Five* p4, const __grid_constant__ SixtyFour p5, __half p6, const __grid_constant__ Random1 p7) {
}
extern "C" __global__ void k312(unsigned char* out, const __half2 stream, float2* config, const float call, unsigned int args, const __grid_constant__ CUtensorMap kernel, short launch, const __nv_fp8_e5m2 value, __nv_fp8_e5m2* self_) {
}
extern "C" __global__ void k313(unsigned char* out, const double1* p0, const __grid_constant__ CUtensorMap p1, const double4* p2, const short1 p3, float* const* p4, const __grid_constant__ CUtensorMap p5, const ushort1* p6, const long p7) {
}
extern "C" __global__ void k314(unsigned char* out, const __nv_bfloat16 p0, const __grid_constant__ Random9 p1, const ushort4* p2, float3 p3, const unsigned int p4, unsigned short* p5, const __grid_constant__ CUtensorMap p6, const __grid_constant__ Random37 p7) {
}
extern "C" __global__ void k315(unsigned char* out, const __grid_constant__ Random31 p0, const __nv_fp8_e4m3 p1, const longlong1* p2, const int1 p3, const Five* p4, const long long p5, __nv_fp8_e5m2 p6, const __grid_constant__ CUtensorMap p7) {
}
extern "C" __global__ void k316(unsigned char* out, const __grid_constant__ CUtensorMap p0, double1* p1, const int p2, const unsigned char* p3, const __grid_constant__ CUtensorMap p4, unsigned short* p5, const __grid_constant__ Random18 p6, size_t p7, const __grid_constant__ Aligned128 p8, const __grid_constant__ Random4 p9, const unsigned short p10, Nine* p11, const size_t p12) {
}
extern "C" __global__ void k317(unsigned char* out, const __grid_constant__ Random37 stream, const __grid_constant__ CUtensorMap config, double call, const __grid_constant__ CUtensorMap args, const Sixteen* kernel, const __grid_constant__ Sizes launch, long long value, const __nv_bfloat16 self_, ushort1 p8, const long long p9, int4 p10, const long long p11, __nv_fp8_e5m2 p12) {
}
extern "C" __global__ void k318(unsigned char* out, const long p0, bool p1, const __grid_constant__ CUtensorMap p2, int1 p3, signed char* p4, __nv_fp8_e4m3 p5, const __half p6, const float* p7, const __grid_constant__ Random10 p8, const Five* p9, const ushort4* p10, bool p11, const __grid_constant__ Random9 p12) {
}
extern "C" __global__ void k319(unsigned char* out, bool p0, const __grid_constant__ Aligned16Full p1, bool p2, const __grid_constant__ CUtensorMap p3, unsigned int p4, const __half p5, const char1* p6, const unsigned short p7, float** p8, const short3 p9, __nv_bfloat162 p10, const float2 p11, size_t p12) {
}
extern "C" __global__ void k320(unsigned char* out, const __nv_bfloat16 p0, unsigned char p1, float** p2, const __grid_constant__ Nine p3, const __grid_constant__ CUtensorMap p4, const __grid_constant__ Nested p5, const __grid_constant__ NestedArrays p6, const __grid_constant__ Addresses p7, const __grid_constant__ Random1 p8, char1 p9, const double p10, short2* p11, const double* p12) {
}
extern "C" __global__ void k321(unsigned char* out, __nv_fp8_e4m3 p0, const __half p1, const size_t* p2, const __grid_constant__ Random8 p3, int p4, const __grid_constant__ CUtensorMap p5, const Eight* p6, const int3* p7, longlong3 p8, const long* p9, const __grid_constant__ Random2 p10, const __grid_constant__ Random36 p11, short2 p12) {
}
extern "C" __global__ void k322(unsigned char* out, const ushort4* stream, const __grid_constant__ Random27 config, const __nv_fp8_e5m2 call, long long args, const __nv_bfloat16* kernel, Eight* launch, const __grid_constant__ CUtensorMap value, const __grid_constant__ OneTruth self_, const double4 p8, __nv_fp8_e5m2 p9, const __grid_constant__ CUtensorMap p10, float p11, const __half p12) {
}
extern "C" __global__ void k323(unsigned char* out, signed char p0, const ushort3 p1, __nv_fp8_e5m2* p2, const __grid_constant__ Random31 p3, const __grid_constant__ CUtensorMap p4, const __grid_constant__ Random1 p5, double p6, const __grid_constant__ CUtensorMap p7, short p8, const __grid_constant__ Random33 p9, unsigned char* p10, double1* p11, longlong2 p12) {
}
extern "C" __global__ void k324(unsigned char* out, const int3 p0, const __grid_constant__ Floats p1, short* p2, float p3, const __nv_fp8_e4m3 p4, const __grid_constant__ Random31 p5, float* p6, size_t p7, const __grid_constant__ CUtensorMap p8, double p9, const uint2* p10, char1 p11, double1* p12) {
}
extern "C" __global__ void k325(unsigned char* out, int2 p0, const size_t p1, __nv_fp8_e4m3 p2, const __grid_constant__ Random22 p3, const __grid_constant__ Random14 p4, const char4* p5, const __grid_constant__ Random12 p6, const __grid_constant__ Random32 p7, float** p8, const __grid_constant__ CUtensorMap p9, unsigned char* const* const* p10, const unsigned int* p11, const __grid_constant__ NestedArrays p12) {
}
extern "C" __global__ void k326(unsigned char* out, const __nv_fp8_e4m3 p0, const __grid_constant__ Random2 p1, char1* p2, void* const* p3, const __grid_constant__ Random33 p4, ulonglong4 p5, const __grid_constant__ Random25 p6, const __grid_constant__ Random21 p7, const __grid_constant__ Random24 p8, char2 p9, const __grid_constant__ CUtensorMap p10, const ulonglong3* p11, const __grid_constant__ Random28 p12) {
}
extern "C" __global__ void k327(unsigned char* out, const float2* stream, const int config, __nv_bfloat16 call, const size_t args, const short2* kernel, const int launch, short value, const __grid_constant__ Sizes self_, const double1* p8, const float p9, Sixteen* p10, const __grid_constant__ CUtensorMap p11, float3 p12) {
}
extern "C" __global__ void k328(unsigned char* out, const __grid_constant__ Padded p0, float* p1, const short2* p2, char1 p3, const float p4, __half p5, const __grid_constant__ CUtensorMap p6, const Sixteen* p7, const __nv_fp8_e4m3 p8, const long long* p9, const long p10, float p11, const __grid_constant__ CUtensorMap p12) {
}
extern "C" __global__ void k329(unsigned char* out, const __grid_constant__ CUtensorMap p0, const long long p1, signed char p2, const unsigned char p3, float p4, const bool p5, size_t* p6, const int3 p7, int1 p8, const double* p9, float p10, void** p11, __half p12, __half* p13, long long p14, Eight* p15, long long p16, const bool p17, short1 p18, const __half2 p19, long long p20, const ushort1 p21, const __grid_constant__ Random15 p22, const longlong4* p23, bool p24, const __half2 p25, size_t p26, const short p27, long long p28, const int p29, ulonglong4 p30, const short p31, const __grid_constant__ CUtensorMap p32, const ulonglong1 p33, const __grid_constant__ Aligned16Full p34, const size_t p35, char4 p36, const ushort4 p37, long p38, const char4 p39, bool p40, const __nv_bfloat162 p41, char2 p42, const ulonglong2 p43, Three* p44, const __grid_constant__ Random38 p45, float p46) {
}
extern "C" __global__ void k330(unsigned char* out, const float* p0, short p1, const short p2, unsigned int p3, const __grid_constant__ Random21 p4, const Five* p5, const char2 p6, long long p7, const __grid_constant__ Aligned16 p8, int p9, const double* p10, __half p11, const __half p12, short p13, float* p14, __half2 p15, const __grid_constant__ Random4 p16, ulonglong1 p17, const __grid_constant__ Random20 p18, const __grid_constant__ Random3 p19, const unsigned long long p20, int1 p21, double* p22, const __grid_constant__ CUtensorMap p23, const char2 p24, const __grid_constant__ CUtensorMap p25, const float p26, double p27, const float p28, long long p29, const ulonglong3 p30, __nv_fp8_e5m2 p31, const short p32, int1 p33, const int3* p34, long p35, const long p36, const __grid_constant__ NestedTwice p37, const __grid_constant__ Random4 p38, const __grid_constant__ Random10 p39, const __grid_constant__ Empty p40, short* p41, const int p42, short4 p43, double* p44, uchar3* p45, const __grid_constant__ CUtensorMap p46) {
}
extern "C" __global__ void k331(unsigned char* out, const __grid_constant__ CUtensorMap p0, const unsigned short p1, const __grid_constant__ Two p2, const __grid_constant__ Random24 p3, float1 p4, const unsigned long long p5, const signed char* p6, const long long p7, int p8, const __grid_constant__ Nine p9, unsigned char* const* const* p10, const double p11, const __nv_fp8_e4m3* p12, const __grid_constant__ Vectors p13, const long long* p14, const __grid_constant__ Floats p15, const __grid_constant__ Random37 p16, const bool p17, size_t p18, const __nv_fp8_e5m2* p19, const __grid_constant__ One p20, const short4 p21, double p22, const long p23, short2* p24, const size_t p25, const __grid_constant__ Random28 p26, float2* p27, int1 p28, const int* p29, const __grid_constant__ CUtensorMap p30, const __nv_bfloat162 p31, int p32, const signed char p33, double3 p34, const size_t p35, unsigned int p36, const signed char p37, int* p38, const __grid_constant__ CUtensorMap p39, __half p40, const float1 p41, unsigned long long p42, const void* p43, const double* p44, ushort4* p45, const __grid_constant__ CUtensorMap p46) {
}
extern "C" __global__ void k332(unsigned char* out) {
}
extern "C" __global__ void k333(unsigned char* out, const __grid_constant__ Eight p0) {
}
extern "C" __global__ void k334(unsigned char* out, const bool p0, const __grid_constant__ Random6 p1) {
}
extern "C" __global__ void k335(unsigned char* out, signed char p0, const __grid_constant__ Random8 p1, const __grid_constant__ Random18 p2) {
}
