#pragma once
#define WIDTH 4
#include "bias.cuh"
