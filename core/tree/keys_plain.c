/* The keys of a node's branches for every processor. */

#include "base/lanes_plain.h"

#include "tree/keys_lanes.h"

uint32_t gjk_tree_node_keys_plain(const gjk_tree_node *node, const gjk_query_bounds *query,
                                  double bound, double keys[GJK_TREE_WIDTH]) {
    return find_keys(node, query, bound, keys);
}
