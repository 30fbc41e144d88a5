#ifndef GJK_SHAPE_PIECES_GAP_H
#define GJK_SHAPE_PIECES_GAP_H

/*
 * A cheap bound of the distance between a piece and a convex shape: how far the two are apart along
 * one well-chosen direction. It spares most pieces of a leaf the query on the piece.
 */

#include "shape/pieces.h"

/* A convex shape where the whole of the pieces sees it, in the whole's own frame. */
typedef struct gjk_seen {
    gjk_placed placed;
    gjk_vec3 center; /* of its bounding box */
} gjk_seen;

gjk_seen gjk_seen_make(const gjk_pose *frame, const gjk_placed *placed);

/* Gap between the shapes along a unit direction from the piece to the shape; where they overlap,
 * minus how far they do. */
typedef struct gjk_gap {
    gjk_vec3 direction; /* zero: none was found, and the length is -INFINITY */
    double length;      /* within rounding of the numbers it is made of */
} gjk_gap;

/*
 * Along the direction from the nearest point of a triangle or segment to the shape's centre, which
 * is exact for a ball that lies outside; from centre to centre for other pieces. The signed
 * distance of the two is at least the gap. `shift` moves the shape first.
 */
gjk_gap gjk_piece_gap(const struct gjk_pieces *pieces, uint32_t i, const gjk_seen *seen,
                      gjk_vec3 shift);

#endif
