/* Four triangles against one ray, all four in one register. */

#include <immintrin.h>

#define LANES_BITS(which) ((uint32_t)_mm256_movemask_pd((__m256d)(which)))
#define LANES_TARGET __attribute__((target("avx2")))
#include "ray/triangle_misses_lanes.h"

gjk_triangle_misses *const gjk_triangle_misses_avx2 = find_misses;
