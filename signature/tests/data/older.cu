struct __align__(16) Wide { float4 a; float b; };
extern "C" __global__ __launch_bounds__(256, 2) void mixed(char c, double d, Wide w, const void* h, short s) { if (h) *(double*)h = d + w.b + c + s; }
