#ifndef GJK_PIECES_H
#define GJK_PIECES_H

/*
 * Shapes of many convex pieces: compound, points, chain, region, mesh and height field. Such a
 * shape is the union of its pieces; each piece is treated as a convex shape of its own at the pose
 * of the whole. A region, a closed mesh and a height field with a base are also solid. A gjk_shape
 * has pieces if its `pieces` is not NULL; every pair query, ray and cast accepts it like any other
 * shape.
 *
 * The pieces and the static tree over them are made once and never change. They are
 * reference-counted: a constructor gives one reference to its arena, which drops it on reset. To
 * keep the shape longer, retain the pieces. Any number of threads may read, retain and release
 * them.
 */

#include "gjk/budget.h"
#include "gjk/shape.h"

#include <stdalign.h>

GJK_BEGIN

/* Largest number of pieces of one shape. In results, the triangles of a height field's base and
 * sides, which do not count as pieces, have indices from here on. */
#define GJK_PIECES_MAX 4194304
/* Largest number of parts of a compound. */
#define GJK_PARTS_MAX 4096

/* Count references, on any thread; the last release frees the pieces. */
void gjk_pieces_retain(const struct gjk_pieces *pieces);
void gjk_pieces_release(const struct gjk_pieces *pieces); /* NULL is allowed */
uint32_t gjk_pieces_count(const struct gjk_pieces *pieces);
/* Returns the memory of the pieces and their tree, in bytes. O(1). */
size_t gjk_pieces_bytes(const struct gjk_pieces *pieces);

/* Storage for one piece as a convex shape: queries make pieces on the stack, without allocation.
 * `placed` points into this storage and the pieces, so the storage must not move. */
typedef struct gjk_piece {
    gjk_placed placed;
    gjk_shape shape;
    alignas(64) double columns[5 * GJK_LANES];
} gjk_piece;

/* Returns true if piece i < count exists: a cell of a height field with a hole at a corner has no
 * pieces. */
bool gjk_piece_exists(const struct gjk_pieces *pieces, uint32_t i);

/* Advances to the next existing piece, from number *next on (0 at first), and spends the budget.
 * Returns false if there is none or the budget (NULL: no limit) is spent. */
bool gjk_pieces_next(const struct gjk_pieces *pieces, gjk_budget *budget, uint32_t *next,
                     uint32_t *index);

/* Makes piece i < count of a placed shape, with the same bits as the constructor of the piece's
 * kind would. Precondition: the piece exists. O(1). */
void gjk_piece_make(const gjk_placed *whole, uint32_t i, gjk_piece *out);

/* Returns the material of piece i. Returns false if the shape has no materials or the piece is part
 * of a base. */
bool gjk_piece_material(const struct gjk_pieces *pieces, uint32_t i, uint32_t *material);

/* Position of a fault found by a constructor: indices in wire order (region: polygon, ring, vertex;
 * mesh: triangle, corner; others: one index). */
typedef struct gjk_pieces_fault {
    uint32_t index[3];
    uint32_t depth; /* number of valid indices */
    /* NOT_CLOSED: number of edges that do not have two triangles in opposite directions, and
     * whether gjk_mesh.weld would leave none. */
    uint32_t open_edges;
    bool weld_closes;
    const char *text; /* describes the fault where a status is not enough; NULL: it is */
} gjk_pieces_fault;

/* Interior of rings or surfaces that may cross: points whose winding number is not 0, or is odd. */
typedef enum gjk_fill {
    GJK_FILL_NONE, /* crossing rings are an error; for meshes as NONZERO */
    GJK_FILL_NONZERO,
    GJK_FILL_EVENODD,
} gjk_fill;

/*
 * Triangles over shared vertices. All arrays are copied. Vertex indices past the end are
 * OUT_OF_RANGE with the fault {triangle, corner}. With `closed`, the mesh is NOT_CLOSED with the
 * fault {triangle} unless every edge belongs to exactly two triangles, which run along it in
 * opposite directions. With `weld`, triangles with two corners at one place do not count in that
 * test. NOT_FINITE and OUT_OF_RANGE with {vertex, axis} for coordinates. O(n log n).
 */
typedef struct gjk_mesh {
    const gjk_vec3 *vertices;
    uint32_t vertex_count;
    const uint32_t (*triangles)[3];
    uint32_t triangle_count;
    const uint32_t *materials; /* one for each triangle, or NULL */
    bool closed, one_sided;
    bool weld;     /* vertices with equal coordinates count as one */
    gjk_fill fill; /* interior of a closed mesh */
} gjk_mesh;
gjk_status gjk_shape_make_mesh(struct gjk_arena *arena, const gjk_mesh *mesh, double rounding,
                               gjk_pieces_fault *fault, gjk_shape *out) GJK_MUST_USE;

/*
 * Samples on a grid: (column * spacing[0], row * spacing[1], heights[row * columns + column]); NaN
 * is a hole. Cell n = row * (columns - 1) + column is split along the diagonal from (column, row)
 * to (column + 1, row + 1): piece 2n has the corner (column + 1, row), piece 2n + 1 the corner
 * (column, row + 1). A cell with a hole at a corner has neither piece; their numbers stay unused.
 *
 * With a base the field is solid from there up to the samples: triangles close it below and at its
 * sides. Samples below the base and holes are then OUT_OF_RANGE with the fault {sample}.
 */
typedef struct gjk_heightfield {
    uint32_t columns, rows; /* each >= 2 */
    double spacing[2];      /* > 0 */
    const double *heights;
    const uint32_t *materials; /* one for each cell, or NULL */
    bool one_sided;
    bool has_base;
    double base; /* height of the base, if has_base */
} gjk_heightfield;
gjk_status gjk_shape_make_heightfield(struct gjk_arena *arena, const gjk_heightfield *field,
                                      double rounding, gjk_pieces_fault *fault,
                                      gjk_shape *out) GJK_MUST_USE;

/* Makes a 2D chain of segments through >= 2 vertices in order. `closed`: a segment joins the last
 * vertex to the first. */
gjk_status gjk_shape_make_chain(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                bool closed, double rounding, gjk_pieces_fault *fault,
                                gjk_shape *out) GJK_MUST_USE;

/* Balls around 1 to GJK_PIECES_MAX points, with one common radius or, if `radii` is not NULL, one
 * radius each. The array of the shape's dimension is used. Arrays are copied. NOT_FINITE and
 * OUT_OF_RANGE with {point, axis}, for a radius with {point}. */
typedef struct gjk_points {
    const gjk_vec2 *in_2d;
    const gjk_vec3 *in_3d;
    uint32_t count;
    double radius;
    const double *radii;
} gjk_points;
gjk_status gjk_shape_make_points(struct gjk_arena *arena, uint32_t dimension,
                                 const gjk_points *points, double rounding, gjk_pieces_fault *fault,
                                 gjk_shape *out) GJK_MUST_USE;

/* Makes a compound of 1 to GJK_PARTS_MAX convex shapes at poses in the whole's frame, all of its
 * dimension. Shapes and their columns are copied. The radius of each part already includes any
 * rounding of the whole. */
gjk_status gjk_shape_make_compound(struct gjk_arena *arena, uint32_t dimension,
                                   const gjk_placed *parts, uint32_t count,
                                   gjk_shape *out) GJK_MUST_USE;

/*
 * Polygons with holes, as in GeoJSON's MultiPolygon: ring_sizes holds the number of vertices of
 * each ring, all rings of all polygons in order; polygon_sizes the number of rings of each polygon,
 * the outer one first. A ring runs in either direction through 3 or more distinct vertices; a
 * vertex that repeats the one before it, or a last one that repeats the first, is ignored. Rings
 * may touch themselves and each other at points; a polygon may lie in a hole of another. All
 * decisions are exact.
 *
 * The region is cut into convex polygons whose corners are vertices of the rings, at most two for
 * each reflex corner and one for each connected part; the cut is deterministic. NOT_FINITE,
 * OUT_OF_RANGE with {polygon, ring, vertex}. TOO_FEW_POINTS with {polygon, ring}, or fewer indices
 * if there are no rings or polygons. NOT_SIMPLE with {polygon, ring, vertex} where rings cross, or
 * for the start of an edge that crosses or overlaps another or belongs to a ring in a forbidden
 * place. TOO_MANY_POINTS for more than GJK_PIECES_MAX vertices or pieces. O(n log n) for any input.
 *
 * With a fill rule none of this is NOT_SIMPLE or TOO_FEW_POINTS: the rule, applied to all rings
 * together, defines the region. Crossings are rounded and become corners of pieces, each off by at
 * most 4 units in the last place of the largest coordinate. TOO_MANY_POINTS also if the edges cut
 * each other into more than GJK_PIECES_MAX edges. O((n + crossings) log n).
 */
typedef struct gjk_region {
    const gjk_vec2 *vertices;
    const uint32_t *ring_sizes;
    const uint32_t *polygon_sizes;
    uint32_t polygon_count;
    gjk_fill fill;
    bool is_flat; /* one polygon, given as a list of rings */
} gjk_region;
gjk_status gjk_shape_make_region(struct gjk_arena *arena, const gjk_region *region, double rounding,
                                 gjk_pieces_fault *fault, gjk_shape *out) GJK_MUST_USE;

/* Return the arguments of the shape's constructor: views into the pieces, with numbers exactly as
 * given. Return false if the shape is of another kind. */
bool gjk_pieces_mesh(const struct gjk_pieces *pieces, gjk_mesh *out);
bool gjk_pieces_heightfield(const struct gjk_pieces *pieces, gjk_heightfield *out);
bool gjk_pieces_region(const struct gjk_pieces *pieces, gjk_region *out);
bool gjk_pieces_points(const struct gjk_pieces *pieces, gjk_points *out);
const gjk_vec2 *gjk_pieces_chain(const struct gjk_pieces *pieces, uint32_t *count, bool *closed);

/* Returns the vertices of piece i of a region, a convex polygon, counter-clockwise. */
uint32_t gjk_pieces_polygon(const struct gjk_pieces *pieces, uint32_t i, const gjk_vec2 **vertices);

GJK_END

#endif
