// Templates that the declarations in this folder get wrong.

struct Range {
    unsigned int first;
    unsigned int count;
};

template <typename T>
struct Total {
    using type = float;
};

template <typename T, int V = 1>
__global__ void scale(T* output, const T* input, float factor, unsigned int n) {}

template <typename T>
__global__ void sum(typename Total<T>::type* total, const T* values, Range range) {}

template __global__ void scale<float, 4>(float*, const float*, float, unsigned int);
