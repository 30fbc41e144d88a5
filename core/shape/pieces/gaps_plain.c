/* The gaps of a leaf's triangles for every processor. */

#define LANES_TARGET
#include "shape/pieces/gaps_lanes.h"

gjk_find_gaps *const gjk_find_gaps_plain = find_gaps;
