/* Triangles against one ray: the test for every processor. */

#define LANES_TARGET
#include "ray/triangle_misses_lanes.h"

gjk_triangle_misses *const gjk_triangle_misses_plain = find_misses;
