#ifndef GJK_SHAPE_PIECES_PIECES_H
#define GJK_SHAPE_PIECES_PIECES_H

/* Shared by the shapes of many pieces: the block that their numbers, their tree and what finds a
 * piece by its index live in. */

#include "base/references.h"
#include "gjk/pieces.h"
#include "shape/pieces/tree.h"

struct gjk_pieces {
    gjk_references references;
    struct gjk_arena memory; /* of all that follows */
    gjk_shape_type type;
    uint32_t dimension;
    uint32_t count;
    uint32_t base_count; /* triangles of a height field's base and sides, beside the pieces */
    double rounding;     /* of each piece; a compound's parts have it in their radii */
    gjk_pieces_tree tree;
    /* One point of each connected component of triangles: where none of them meets the surface of a
     * closed mesh, they tell what lies inside. Any point of a compound's part does. */
    const gjk_vec3 *seeds;
    uint32_t seed_count;
    bool closed, one_sided;
    const uint32_t *materials; /* one a triangle or cell; NULL: none */
    union {
        gjk_mesh mesh;
        gjk_heightfield heightfield;
        gjk_points points;
        struct {
            const gjk_vec2 *vertices;
            uint32_t count;
        } chain;
        struct {
            const gjk_placed *parts;
        } compound;
        struct {
            gjk_region rings;
            const gjk_shape *polygons;
            const gjk_vec2 *outlines; /* piece i: from outline_starts[i] to [i + 1] */
            const uint32_t *outline_starts;
        } region;
    };
};

/* An empty one with a single reference, which `arena` drops when it is reset. NULL: no memory. */
struct gjk_pieces *gjk_pieces_new(struct gjk_arena *arena, gjk_shape_type type, uint32_t dimension);

/* Returns true if the shape is one of pieces that has none, which nothing meets. */
static inline bool gjk_shape_is_empty(const gjk_shape *shape) {
    return shape->pieces != NULL && shape->pieces->tree.node_count == 0;
}

/* A copy of count items of the given size in the pieces' memory. NULL: no memory. */
void *gjk_pieces_copy(struct gjk_pieces *pieces, const void *items, size_t count, size_t size);

/* Measures every piece, builds the tree and makes the shape of the
 * whole. What is needed meanwhile is charged to the arena's account. OUT_OF_MEMORY; GIVEN_UP where
 * its budget is spent. */
gjk_status gjk_pieces_finish(struct gjk_pieces *pieces, const struct gjk_arena *arena,
                             gjk_shape *out) GJK_MUST_USE;

/* Widens `whole` by the triangles of all cells of a height field. Returns false if there are none, or
 * where the budget is spent. */
bool gjk_grid_measure(const struct gjk_pieces *pieces, gjk_budget *budget, gjk_bounds *whole);

/* Builds the tree of a height field, which has been aimed, over its cells and over the boxes of its
 * base's triangles, whose order is lost. O(cells). OUT_OF_MEMORY; GIVEN_UP where the budget of
 * scratch is spent. */
gjk_status gjk_grid_build(struct gjk_pieces *pieces, struct gjk_arena *scratch,
                          gjk_piece_box *base_boxes, uint32_t base_count) GJK_MUST_USE;

/* The index of the n-th of the pieces, after which come the triangles of a base. */
static inline uint32_t gjk_pieces_index(const struct gjk_pieces *pieces, uint32_t n) {
    return n < pieces->count ? n : GJK_PIECES_MAX + (n - pieces->count);
}

/* Returns true if triangles enclose a solid: a closed mesh, or a height field with a base. */
static inline bool gjk_pieces_are_solid(const struct gjk_pieces *pieces) {
    return pieces->closed && (pieces->type == GJK_MESH || pieces->type == GJK_HEIGHTFIELD);
}

/* The corners of a mesh's triangle, in the order of its face normal. */
static inline void gjk_mesh_triangle(const gjk_mesh *mesh, uint32_t i, gjk_vec3 corners[3]) {
    for (int k = 0; k < 3; k++) {
        corners[k] = mesh->vertices[mesh->triangles[i][k]];
    }
}

/* Piece i in the whole's own frame. */
void gjk_piece_make_own(const struct gjk_pieces *pieces, uint32_t i, gjk_piece *out);

/*
 * Puts a part, whose place is in its whole's frame, where it stands when the whole has that pose.
 * What the sum of both places lacks in doubles is kept as the pose's rest, unless the part is so
 * near the world's origin that its own digits are as coarse; the place of its middle is composed
 * with twice the digits where that is far from the whole's origin against the part's size.
 */
void gjk_piece_put(const gjk_pose *whole, gjk_piece *piece);

/* Makes a ball, with radius 0 a point, that is a piece of nothing. Must not move in memory. */
void gjk_piece_make_ball(uint32_t dimension, gjk_vec3 at, double radius, gjk_piece *out);

/* The three corners of piece i of a mesh or height field, in the order of its face normal. */
void gjk_pieces_triangle(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 corners[3]);

/* The face normal of piece i of those, of any length. */
static inline gjk_vec3 gjk_pieces_normal(const struct gjk_pieces *pieces, uint32_t i) {
    gjk_vec3 corners[3];
    gjk_pieces_triangle(pieces, i, corners);
    return gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
}

/* The corners of piece i of a mesh, height field or chain, whose segments repeat their second end.
 * False: the pieces are of another kind. */
bool gjk_pieces_corners(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 corners[3]);

/* The corners of a leaf's pieces that have any: corner i of the k-th, behind which another number
 * may be read. A leaf with fewer pieces repeats the first. */
typedef struct gjk_leaf_corners {
    const gjk_vec3 *at[GJK_PIECES_LEAF][3];
    gjk_vec3 made[3 * GJK_PIECES_LEAF + 1]; /* unless they are vertices of a mesh */
} gjk_leaf_corners;

/* Finds the corners of the leaf of slots [first, first + count); false as gjk_pieces_corners. */
bool gjk_pieces_leaf(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                     gjk_leaf_corners *out);

/* Sets the seeds of triangles that share vertices, of which those count as one that have the same
 * entry in `welded` (NULL: none). OUT_OF_MEMORY. */
gjk_status gjk_pieces_find_seeds(struct gjk_pieces *pieces, const uint32_t *welded) GJK_MUST_USE;

/* Returns where a piece's material stands: a height field has one for each cell of two pieces. */
static inline uint32_t gjk_pieces_material_index(const struct gjk_pieces *pieces, uint32_t piece) {
    return pieces->type == GJK_HEIGHTFIELD ? piece / 2 : piece;
}

/* A cheap bound of the distance between a piece and a convex shape: how far the two are apart along
 * one well-chosen direction. It spares most pieces of a leaf the query on the piece. */

/* A convex shape where the whole of the pieces sees it, in the whole's own frame. */
typedef struct gjk_seen {
    gjk_placed placed;
    gjk_vec3 center; /* of its bounding box */
    gjk_vec3 half;   /* of a segment or capsule: from its middle to an end; else zero */
} gjk_seen;

gjk_seen gjk_seen_make(const gjk_pose *frame, const gjk_placed *placed);

/* Gap between the shapes along a unit direction from the piece to the shape; where they overlap,
 * minus how far they do. */
typedef struct gjk_gap {
    gjk_vec3 direction; /* zero: none was found, and the length is -INFINITY */
    double length;      /* within rounding of the numbers it is made of */
} gjk_gap;

/* Along the direction from the nearest point of a triangle or segment to the shape's centre, which
 * is exact for a ball that lies outside, or to the nearest point of a capsule's axis; from centre to
 * centre for other pieces. The signed distance of the two is at least the gap. `shift` moves the
 * shape first. */
gjk_gap gjk_piece_gap(const struct gjk_pieces *pieces, uint32_t i, const gjk_seen *seen,
                      gjk_vec3 shift);

/* The lengths of such gaps of a leaf's pieces, unshifted, from the centre of a capsule as well. */
void gjk_leaf_gap_lengths(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                          const gjk_seen *seen, double lengths[GJK_PIECES_LEAF]);

/* Directions of the gaps between the triangles of a leaf and a shape with that centre, and how far
 * along them the triangles reach: see gjk_piece_gap. */
typedef struct gjk_leaf_gaps {
    double x[GJK_PIECES_LEAF], y[GJK_PIECES_LEAF], z[GJK_PIECES_LEAF];
    double most[GJK_PIECES_LEAF]; /* INFINITY: there is no direction */
} gjk_leaf_gaps;

/* One for each instruction set, with the same bits, which are those of nearest_on_triangle. */
typedef void gjk_find_gaps(const gjk_vec3 *const corners[GJK_PIECES_LEAF][3], gjk_vec3 center,
                           gjk_leaf_gaps *out);
extern gjk_find_gaps *const gjk_find_gaps_plain, *const gjk_find_gaps_avx2,
                                                     *const gjk_find_gaps_avx512;

#endif
