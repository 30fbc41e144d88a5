/* The first zero of swinging heights for every processor. */

#include "base/lanes_plain.h"

#include "ray/casts/first_zero_lanes.h"

gjk_first_zero *const gjk_first_zero_plain = first_zero;
