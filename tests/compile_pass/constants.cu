struct Tile {
    float value[2];
};

extern "C" __global__ void fill(Tile tile) {}
