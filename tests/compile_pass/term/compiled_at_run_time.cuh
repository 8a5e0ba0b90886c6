#include "include/parts.cuh"
