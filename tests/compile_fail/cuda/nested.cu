struct Axis {
    unsigned int extent;
    float stride;
};

struct Grid {
    Axis axes[2];
    float scale;
};

extern "C" __global__ void walk(float* output, Grid grid) {}
