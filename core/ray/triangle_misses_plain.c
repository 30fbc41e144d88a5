/* Triangles against one ray: the test for every processor. */

#define LANES_BITS(which) \
    ((uint32_t)(((which)[0] & 1) | ((which)[1] & 2) | ((which)[2] & 4) | ((which)[3] & 8)))
#define LANES_TARGET
#include "ray/triangle_misses_lanes.h"

gjk_triangle_misses *const gjk_triangle_misses_plain = find_misses;
