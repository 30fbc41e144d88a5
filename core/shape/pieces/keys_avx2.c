/* The keys of a node's children with AVX2. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86
#include "base/lanes_avx2.h"

#include "shape/pieces/walk.h"

#include "shape/pieces/keys_lanes.h"

LANES_TARGET uint32_t gjk_pieces_keys_avx2(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                           double keys[GJK_PIECES_WIDTH]) {
    return find_keys(walk, node, keys);
}

#endif
