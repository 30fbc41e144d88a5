/* The keys of a node's children with AVX-512. */

#include "base/lanes_avx512.h"

#include "shape/pieces/keys_lanes.h"

gjk_pieces_keys *const gjk_pieces_keys_avx512 = find_keys;
