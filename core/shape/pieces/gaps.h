#ifndef GJK_SHAPE_PIECES_GAPS_H
#define GJK_SHAPE_PIECES_GAPS_H

#include "shape/pieces/tree.h"

/* Directions of the gaps between the triangles of a leaf and a shape with that centre, and how far
 * along them the triangles reach: see gjk_piece_gap. */
typedef struct gjk_leaf_gaps {
    double x[GJK_PIECES_LEAF], y[GJK_PIECES_LEAF], z[GJK_PIECES_LEAF];
    double most[GJK_PIECES_LEAF]; /* INFINITY: there is no direction */
} gjk_leaf_gaps;

/* Two forms with the same bits, which are those of nearest_on_triangle. */
typedef void gjk_find_gaps(const gjk_vec3 *const corners[GJK_PIECES_LEAF][3], gjk_vec3 center,
                           gjk_leaf_gaps *out);
extern gjk_find_gaps *const gjk_find_gaps_plain, *const gjk_find_gaps_avx2,
                                                     *const gjk_find_gaps_avx512;

#endif
