/* The keys of a node's children with AVX2. */

#include "base/lanes_avx2.h"

#include "shape/pieces/keys_lanes.h"

gjk_pieces_keys *const gjk_pieces_keys_avx2 = find_keys;
