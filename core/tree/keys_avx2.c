/* The keys of a node's branches with AVX2. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx2.h"

#include "tree/node.h"

#include "tree/keys_lanes.h"

LANES_TARGET uint32_t gjk_tree_node_keys_avx2(const gjk_tree_node *node,
                                              const gjk_query_bounds *query, double bound,
                                              double keys[GJK_TREE_WIDTH]) {
    return find_keys(node, query, bound, keys);
}

#endif
