/* The keys of a node's children for every processor. */

#include "base/lanes_plain.h"

#include "shape/pieces/keys_lanes.h"

uint32_t gjk_pieces_keys_plain(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                               double keys[GJK_PIECES_WIDTH]) {
    return find_keys(walk, node, keys);
}
