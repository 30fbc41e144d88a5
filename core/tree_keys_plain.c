/*
 * The test of a node that every processor can do.
 */

#include "tree_keys.h"

void gjk_probe_keys_plain(const gjk_probe *probe, const gjk_tree_node *node, double bound,
                          double keys[GJK_TREE_WIDTH]) {
    probe_keys(probe, node, bound, keys);
}
