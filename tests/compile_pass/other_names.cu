typedef float vec3[3];
typedef struct {
    float matrix[2][3];
    float2 center;
    int count;
    float* table;
    half weights[2];
} Rotation;

extern "C" __global__ void rotate(vec3* points, const vec3 axis, const int (*order)[2][4], float4 origin, Rotation rotation) {}
