/* The first zero of swinging heights with AVX2. */

#include "base/lanes_avx2.h"

#include "ray/casts/first_zero_lanes.h"

gjk_first_zero *const gjk_first_zero_avx2 = first_zero;
