#pragma once
#include "parts.cuh"

#define TERM(x) (PART(x) + PART(x))
