#ifndef GJK_PIECES_H
#define GJK_PIECES_H

/*
 * Shapes of many convex pieces: compound, points, chain, region, mesh and height field. Such a
 * shape is the union of its pieces, each judged as a convex shape of its own at the whole shape's
 * pose; a region, a closed mesh and a height field with a base are solid besides. A gjk_shape whose
 * `pieces` is not NULL is one of them, and every pair query, ray and cast takes it like any other
 * shape.
 *
 * The pieces and the static tree over them are made once and never change. They are shared by
 * reference: constructors leave one reference to the arena that they are given, which drops it when
 * it is reset; to keep the shape longer, retain the pieces. Any number of threads may read, retain
 * and release them.
 */

#include "gjk/budget.h"
#include "gjk/shape.h"

#include <stdalign.h>

GJK_BEGIN

/* Most pieces of one shape. The triangles of a height field's base and sides, which are not counted
 * among its pieces, have indices from here on in results. */
#define GJK_PIECES_MAX 4194304
/* Most parts of a compound. */
#define GJK_PARTS_MAX 4096

/* Count references, on any thread; the last release frees the pieces. */
void gjk_pieces_retain(const struct gjk_pieces *pieces);
void gjk_pieces_release(const struct gjk_pieces *pieces); /* NULL is allowed */
uint32_t gjk_pieces_count(const struct gjk_pieces *pieces);
/* Memory of the pieces and their tree, in bytes. O(1). */
size_t gjk_pieces_bytes(const struct gjk_pieces *pieces);

/* Room for a piece made as a convex shape: queries make pieces on the stack, without allocation.
 * `placed` borrows from the room and from the pieces; the room must not move. */
typedef struct gjk_piece {
    gjk_placed placed;
    gjk_shape shape;
    alignas(64) double columns[5 * GJK_LANES];
} gjk_piece;

/* Returns true if there is a piece i < count: a cell of a height field with a hole at a corner has
 * none. */
bool gjk_piece_exists(const struct gjk_pieces *pieces, uint32_t i);

/* Takes the next piece that exists, from number *next on, and pays for it. False: there is none, or
 * the budget (NULL: endless) is spent. *next is 0 at first. */
bool gjk_pieces_next(const struct gjk_pieces *pieces, gjk_budget *budget, uint32_t *next,
                     uint32_t *index);

/* Piece i, which exists, of a placed shape of pieces, as the constructor of its kind would make it:
 * the same bits. i < count. O(1). */
void gjk_piece_make(const gjk_placed *whole, uint32_t i, gjk_piece *out);

/* The material of piece i; false: the shape has none, or the piece is of a base. */
bool gjk_piece_material(const struct gjk_pieces *pieces, uint32_t i, uint32_t *material);

/* Where a constructor found something wrong: the indices that lead there, in the order of the wire
 * (region: polygon, ring, vertex; mesh: triangle, corner; others: one). */
typedef struct gjk_pieces_fault {
    uint32_t index[3];
    uint32_t depth; /* how many of them count */
    /* NOT_CLOSED: edges that have not two triangles in opposite directions, and whether all had
     * with gjk_mesh.weld. */
    uint32_t open_edges;
    bool weld_closes;
    const char *text; /* what is wrong, where a status does not tell; NULL: it does */
} gjk_pieces_fault;

/* Inside of rings or surfaces that cross: where the winding number is not 0, or where it is odd. */
typedef enum gjk_fill {
    GJK_FILL_NONE, /* rings may not cross; for meshes as NONZERO */
    GJK_FILL_NONZERO,
    GJK_FILL_EVENODD,
} gjk_fill;

/*
 * Triangles over shared vertices. All arrays are copied. Vertex indices past the end are
 * OUT_OF_RANGE with the fault {triangle, corner}; with `closed`, NOT_CLOSED with the fault
 * {triangle} unless every edge belongs to exactly two triangles that run along it in opposite
 * directions. With `weld`, triangles that have two corners at one place do not count for that.
 * O(n log n). NOT_FINITE and OUT_OF_RANGE with {vertex, axis} for coordinates.
 */
typedef struct gjk_mesh {
    const gjk_vec3 *vertices;
    uint32_t vertex_count;
    const uint32_t (*triangles)[3];
    uint32_t triangle_count;
    const uint32_t *materials; /* one a triangle, or NULL */
    bool closed, one_sided;
    bool weld;     /* vertices with equal coordinates count as one */
    gjk_fill fill; /* of a closed one */
} gjk_mesh;
gjk_status gjk_shape_make_mesh(struct gjk_arena *arena, const gjk_mesh *mesh, double rounding,
                               gjk_pieces_fault *fault, gjk_shape *out) GJK_MUST_USE;

/*
 * Samples on a grid: (column * spacing[0], row * spacing[1], heights[row * columns + column]); NaN
 * is a hole. Cell n = row * (columns - 1) + column is cut from (column, row) to (column + 1, row +
 * 1): piece 2n has the corner (column + 1, row), piece 2n + 1 the corner (column, row + 1); a cell
 * with a hole at a corner has neither (its pieces exist by number and are never hit).
 *
 * With a base the field is solid from there up to the samples: closed by triangles below and at its
 * sides. Samples below the base and holes are OUT_OF_RANGE then, with the fault {sample}.
 */
typedef struct gjk_heightfield {
    uint32_t columns, rows; /* each >= 2 */
    double spacing[2];      /* > 0 */
    const double *heights;
    const uint32_t *materials; /* one a cell, or NULL */
    bool one_sided;
    bool has_base;
    double base; /* a height, where there is one */
} gjk_heightfield;
gjk_status gjk_shape_make_heightfield(struct gjk_arena *arena, const gjk_heightfield *field,
                                      double rounding, gjk_pieces_fault *fault,
                                      gjk_shape *out) GJK_MUST_USE;

/* Segments through >= 2 vertices in order; closed: the last leads back to the first. 2D. */
gjk_status gjk_shape_make_chain(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                bool closed, double rounding, gjk_pieces_fault *fault,
                                gjk_shape *out) GJK_MUST_USE;

/* Balls around 1 to GJK_PIECES_MAX points, of one radius or, where `radii` is not NULL, of one
 * each. The points are those of the dimension. Arrays are copied. NOT_FINITE and OUT_OF_RANGE with
 * {point, axis}, for a radius with {point}. */
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

/* 1 to GJK_PARTS_MAX convex shapes at poses in the whole's frame, all of its dimension; shapes and
 * their columns are copied. A rounding of the whole is part of each one's radius already. */
gjk_status gjk_shape_make_compound(struct gjk_arena *arena, uint32_t dimension,
                                   const gjk_placed *parts, uint32_t count,
                                   gjk_shape *out) GJK_MUST_USE;

/*
 * Polygons with holes, as GeoJSON's MultiPolygon: ring_sizes tells the vertices of each ring, all
 * rings of all polygons in order; polygon_sizes the rings of each polygon, the outer one first. A
 * ring runs in either direction through 3 or more different vertices; ones that repeat the vertex
 * before them, or at the end the first, are passed over. Rings may touch themselves and each other
 * in points; a polygon may lie in a hole of another. Everything is decided exactly.
 *
 * Cut into convex polygons whose corners are vertices of the rings, at most two for each reflex
 * corner and one for each connected part, always the same for the same rings. NOT_FINITE,
 * OUT_OF_RANGE with {polygon, ring, vertex}; TOO_FEW_POINTS with {polygon, ring}, or less where
 * there are none of these; NOT_SIMPLE with {polygon, ring, vertex} where rings cross, or where an
 * edge starts that crosses another, runs along it, or is of a ring that lies where it must not;
 * TOO_MANY_POINTS for more than GJK_PIECES_MAX vertices or pieces. O(n log n) for any input.
 *
 * With a fill rule nothing of that is NOT_SIMPLE or TOO_FEW_POINTS: the region is what the rule
 * says of all rings together. Crossings are rounded, and are corners of pieces too: one is off by
 * at most 4 units in the last place of the largest coordinate. TOO_MANY_POINTS also where the edges
 * cut each other into more than GJK_PIECES_MAX. O((n + crossings) log n).
 */
typedef struct gjk_region {
    const gjk_vec2 *vertices;
    const uint32_t *ring_sizes;
    const uint32_t *polygon_sizes;
    uint32_t polygon_count;
    gjk_fill fill;
    bool is_flat; /* one polygon, which was given as a list of rings */
} gjk_region;
gjk_status gjk_shape_make_region(struct gjk_arena *arena, const gjk_region *region, double rounding,
                                 gjk_pieces_fault *fault, gjk_shape *out) GJK_MUST_USE;

/* Return the arguments that a shape of pieces was made from: views into the pieces, numbers as they
 * were given. The kind is the shape's type; false: it is of another. */
bool gjk_pieces_mesh(const struct gjk_pieces *pieces, gjk_mesh *out);
bool gjk_pieces_heightfield(const struct gjk_pieces *pieces, gjk_heightfield *out);
bool gjk_pieces_region(const struct gjk_pieces *pieces, gjk_region *out);
bool gjk_pieces_points(const struct gjk_pieces *pieces, gjk_points *out);
const gjk_vec2 *gjk_pieces_chain(const struct gjk_pieces *pieces, uint32_t *count, bool *closed);

/* The convex polygon that is piece i of a region: its vertices, counter-clockwise. */
uint32_t gjk_pieces_polygon(const struct gjk_pieces *pieces, uint32_t i, const gjk_vec2 **vertices);

GJK_END

#endif
