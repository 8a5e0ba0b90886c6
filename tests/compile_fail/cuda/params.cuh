#pragma once

// What `rope` is given.

struct RopeParams {
    float theta;
    bool interleaved;
    unsigned int sections[3];
};

struct alignas(16) Entry {
    unsigned int index;
    float weight;
};
