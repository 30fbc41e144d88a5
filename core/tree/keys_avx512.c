/* The keys of a node's branches with AVX-512. */

#include "base/lanes_avx512.h"

#include "tree/keys_lanes.h"

gjk_tree_keys *const gjk_tree_keys_avx512 = find_keys;
