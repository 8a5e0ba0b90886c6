#pragma once

typedef float row[WIDTH];
