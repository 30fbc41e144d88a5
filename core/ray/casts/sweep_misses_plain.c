/* Triangles against one moving shape: the test for every processor. */

#define LANES_BITS(which) \
    ((uint32_t)(((which)[0] & 1) | ((which)[1] & 2) | ((which)[2] & 4) | ((which)[3] & 8)))
#define LANES_TARGET
#include "ray/casts/sweep_misses_lanes.h"

gjk_sweep_misses *const gjk_sweep_misses_plain = find_misses;
