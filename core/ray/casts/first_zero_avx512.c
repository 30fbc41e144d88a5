/* The first zero of swinging heights with AVX-512. */

#include "base/lanes_avx512.h"

#include "ray/casts/first_zero_lanes.h"

gjk_first_zero *const gjk_first_zero_avx512 = first_zero;
