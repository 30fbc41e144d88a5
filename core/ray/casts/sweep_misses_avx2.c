/* Four triangles against one moving shape, all four in one register. */

#include <immintrin.h>

#define LANES_BITS(which) ((uint32_t)_mm256_movemask_pd((__m256d)(which)))
#define LANES_TARGET __attribute__((target("avx2")))
#include "ray/casts/sweep_misses_lanes.h"

gjk_sweep_misses *const gjk_sweep_misses_avx2 = find_misses;
