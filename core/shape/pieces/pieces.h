#ifndef GJK_SHAPE_PIECES_PIECES_H
#define GJK_SHAPE_PIECES_PIECES_H

/* Shared by the shapes of many pieces: the block that holds their data and their tree, and access
 * to pieces by index. */

#include "base/references.h"
#include "gjk/pieces.h"
#include "shape/pieces/tree.h"

struct gjk_pieces {
    gjk_references references;
    struct gjk_arena memory; /* owns all arrays below */
    gjk_shape_type type;
    uint32_t dimension;
    uint32_t count;
    uint32_t base_count; /* additional triangles of a height field's base and sides */
    double rounding;     /* of each piece; parts of a compound include it in their radii */
    gjk_pieces_tree tree;
    /* One point of each connected component of triangles. If no triangle meets the surface of a
     * closed mesh, these points decide what is inside it. For a part of a compound, any point
     * does. */
    const gjk_vec3 *seeds;
    uint32_t seed_count;
    bool closed, one_sided;
    bool lacks_memory;         /* a gjk_pieces_copy has failed */
    const uint32_t *materials; /* one per triangle or cell; NULL: none */
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
            const gjk_vec2 *outlines; /* piece i: outline_starts[i] to outline_starts[i + 1] - 1 */
            const uint32_t *outline_starts;
        } region;
    };
};

/* Creates an empty block with one reference, which `arena` drops when it is reset. Returns NULL if
 * memory is exhausted. */
struct gjk_pieces *gjk_pieces_new(struct gjk_arena *arena, gjk_shape_type type, uint32_t dimension);

/* Returns true if a shape of pieces has no pieces, so that nothing can meet it. */
static inline bool gjk_shape_is_empty(const gjk_shape *shape) {
    return shape->pieces != NULL && shape->pieces->tree.node_count == 0;
}

/* Copies count items of a size into the pieces' memory. Returns NULL if `items` is NULL, or if
 * memory is exhausted: lacks_memory is then set, and gjk_pieces_finish fails. */
void *gjk_pieces_copy(struct gjk_pieces *pieces, const void *items, size_t count, size_t size);

/* Measures all pieces, builds the tree and makes the shape of the whole. Temporary memory is
 * charged to the arena's account. Returns OUT_OF_MEMORY, or GIVEN_UP if the arena's budget is
 * spent. */
gjk_status gjk_pieces_finish(struct gjk_pieces *pieces, const struct gjk_arena *arena,
                             gjk_shape *out) GJK_MUST_USE;

/* Extends `whole` by the triangles of all cells of a height field. Returns false if there are none,
 * or if the budget is spent. */
bool gjk_grid_measure(const struct gjk_pieces *pieces, gjk_budget *budget, gjk_bounds *whole);

/* Builds the tree of a height field over its cells and over the boxes of its base's triangles,
 * which it reorders. Precondition: gjk_pieces_tree_set_unit. O(cells). Returns OUT_OF_MEMORY, or
 * GIVEN_UP if the budget of scratch is spent. */
gjk_status gjk_grid_build(struct gjk_pieces *pieces, struct gjk_arena *scratch,
                          gjk_piece_box *base_boxes, uint32_t base_count) GJK_MUST_USE;

/* Returns the index of the n-th piece; the triangles of a base follow the pieces. */
static inline uint32_t gjk_pieces_index(const struct gjk_pieces *pieces, uint32_t n) {
    return n < pieces->count ? n : GJK_PIECES_MAX + (n - pieces->count);
}

/* Returns true if the triangles of a shape enclose a solid: a closed mesh, or a height field with a
 * base. */
static inline bool gjk_shape_is_solid(const gjk_shape *shape) {
    return (shape->type == GJK_MESH || shape->type == GJK_HEIGHTFIELD) && shape->pieces->closed;
}

/* Returns the corners of a mesh's triangle, in the order of its face normal. */
static inline void gjk_mesh_triangle(const gjk_mesh *mesh, uint32_t i, gjk_vec3 corners[3]) {
    for (int k = 0; k < 3; k++) {
        corners[k] = mesh->vertices[mesh->triangles[i][k]];
    }
}

/* Makes piece i of a placed shape, or a convex shape itself if i is GJK_NO_PIECE. */
static inline void gjk_part_make(const gjk_placed *whole, uint32_t i, gjk_piece *out) {
    if (i == GJK_NO_PIECE) {
        out->placed = *whole;
    } else {
        gjk_piece_make(whole, i, out);
    }
}

/* Makes piece i as a convex shape in the whole's own frame. */
void gjk_piece_make_own(const struct gjk_pieces *pieces, uint32_t i, gjk_piece *out);

/*
 * Moves a part from its whole's frame to the world, for a pose of the whole. The rounding error of
 * its position is kept as the pose's rest, unless the part is so near the world's origin that the
 * error is below its own digits. If the part's middle is far from the whole's origin, relative to
 * the part's size, its position is computed in double-double.
 */
void gjk_piece_to_world(const gjk_pose *whole, gjk_piece *piece);

/* Makes a ball (a point, if radius is 0) that is not part of a shape of pieces. *out must not move
 * in memory. */
void gjk_piece_make_ball(uint32_t dimension, gjk_vec3 at, double radius, gjk_piece *out);

/* Computes the corners of piece i of a mesh or height field, in the order of its face normal. */
void gjk_pieces_triangle(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 corners[3]);

/* Returns the face normal of such a piece, not normalized. */
static inline gjk_vec3 gjk_pieces_normal(const struct gjk_pieces *pieces, uint32_t i) {
    gjk_vec3 corners[3];
    gjk_pieces_triangle(pieces, i, corners);
    return gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
}

/* Computes the corners of piece i of a mesh, height field or chain; segments repeat their second
 * end. Returns false for other kinds. */
bool gjk_pieces_corners(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 corners[3]);

/* Corners of the pieces of a leaf: at[k][i] is corner i of piece k; one more double after it may be
 * read. A leaf with fewer pieces repeats the first. */
typedef struct gjk_leaf_corners {
    const gjk_vec3 *at[GJK_PIECES_LEAF][3];
    gjk_vec3 made[3 * GJK_PIECES_LEAF + 1]; /* used unless the corners are vertices of a mesh */
} gjk_leaf_corners;

/* Finds the corners of the leaf with slots [first, first + count). Returns false for other kinds
 * than gjk_pieces_corners. */
bool gjk_pieces_leaf(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                     gjk_leaf_corners *out);

/* Sets the seeds of triangles connected by common vertices. Vertices with the same entry in
 * `welded` (NULL: none) count as one. Returns OUT_OF_MEMORY on failure. */
gjk_status gjk_pieces_find_seeds(struct gjk_pieces *pieces, const uint32_t *welded) GJK_MUST_USE;

/* Returns the index of a piece's material: a height field has one per cell of two pieces. */
static inline uint32_t gjk_pieces_material_index(const struct gjk_pieces *pieces, uint32_t piece) {
    return pieces->type == GJK_HEIGHTFIELD ? piece / 2 : piece;
}

/* A cheap lower bound of the distance between a piece and a convex shape: their gap along one
 * well-chosen direction. It makes the exact query unnecessary for most pieces of a leaf. */

/* A convex shape in the own frame of a whole of pieces. */
typedef struct gjk_seen {
    gjk_placed placed;
    gjk_vec3 center; /* of its bounding box */
    gjk_vec3 half;   /* of a segment or capsule: from its middle to an end; else zero */
} gjk_seen;

gjk_seen gjk_seen_make(const gjk_pose *frame, const gjk_placed *placed);

/* Gap between a piece and a shape along a unit direction from the piece to the shape; negative if
 * they overlap along it. */
typedef struct gjk_gap {
    gjk_vec3 direction; /* zero: none was found, and the length is -INFINITY */
    double length;      /* up to rounding */
} gjk_gap;

/* Returns the gap between a piece and a shape, moved by `shift`; it is a lower bound of their
 * signed distance. For a triangle or segment, the direction is from its nearest point to the
 * shape's center, which is exact for a ball outside, or to the nearest point of a capsule's axis.
 * For other pieces, it is from center to center. */
gjk_gap gjk_piece_gap(const struct gjk_pieces *pieces, uint32_t i, const gjk_seen *seen,
                      gjk_vec3 shift);

/* Computes the lengths of the gaps of a leaf's pieces, without shift; for a capsule, the direction
 * is to its center. */
void gjk_leaf_gap_lengths(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                          const gjk_seen *seen, double lengths[GJK_PIECES_LEAF]);

/* Directions of the gaps between the triangles of a leaf and a shape with a given center, and the
 * triangles' support values along them: see gjk_piece_gap. */
typedef struct gjk_leaf_gaps {
    double x[GJK_PIECES_LEAF], y[GJK_PIECES_LEAF], z[GJK_PIECES_LEAF];
    double most[GJK_PIECES_LEAF]; /* INFINITY: no direction */
} gjk_leaf_gaps;

/* One function per instruction set; all give the same bits as nearest_on_triangle. */
typedef void gjk_find_gaps(const gjk_vec3 *const corners[GJK_PIECES_LEAF][3], gjk_vec3 center,
                           gjk_leaf_gaps *out);
extern gjk_find_gaps *const gjk_find_gaps_plain, *const gjk_find_gaps_avx2,
                                                     *const gjk_find_gaps_avx512;

#endif
