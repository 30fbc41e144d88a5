/* The gaps of a leaf's triangles, all four in one register. */

#define LANES_TARGET __attribute__((target("avx2")))
#include "shape/pieces/gaps_lanes.h"

gjk_find_gaps *const gjk_find_gaps_avx2 = find_gaps;
