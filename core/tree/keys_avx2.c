/* The keys of a node's branches with AVX2. */

#include "base/lanes_avx2.h"

#include "tree/keys_lanes.h"

gjk_tree_keys *const gjk_tree_keys_avx2 = find_keys;
