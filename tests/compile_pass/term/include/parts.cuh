#pragma once

#define PART(x) ((x) / PARTS)
