#ifndef GJK_SHAPE_CONVEX_HULL_H
#define GJK_SHAPE_CONVEX_HULL_H

/* Convex hulls of points in the plane and in space, and outlines of convex polygons. */

#include "gjk/arena.h"
#include "gjk/shape.h"

typedef struct gjk_hull2 {
    uint32_t *corners; /* indices, counter-clockwise from the least x (of these: y) */
    uint32_t count;    /* 1: all coincide; 2: all on one line */
} gjk_hull2;

/*
 * Finds the points that, seen along the axis (2 in the plane), are no convex combination of others,
 * exactly, of count >= 1 finite ones; of coincident points the one with the least index. O(n log n)
 * time; 28 bytes a point from the arena, where the corners stay, and as many again while it lasts.
 * OUT_OF_MEMORY; GIVEN_UP where the arena's budget is spent.
 */
gjk_status gjk_hull2_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count, int axis,
                          gjk_hull2 *out) GJK_MUST_USE;

/* The two coordinates beside axis (0: x), in right-handed order: (y, z), (z, x) or (x, y). */
static inline gjk_vec2 gjk_seen_along(gjk_vec3 p, int axis) {
    return axis == 0 ? (gjk_vec2){p.y, p.z} : axis == 1 ? (gjk_vec2){p.z, p.x} : gjk_xy(p);
}

typedef struct gjk_hull3 {
    uint32_t *corners; /* indices, ascending */
    uint32_t count;
    uint32_t (*triangles)[3]; /* the boundary, counter-clockwise from outside; NULL when flat */
    uint32_t triangle_count;
    uint32_t rank; /* dimension of the hull: 0 (all points coincide) to 3 */
} gjk_hull3;

/*
 * Finds the points that are no convex combination of others, exactly, of count >= 1 finite ones up
 * to 4 * GJK_COORDINATE_MAX; of coincident points one. The triangles may also have corners in the
 * middle of an edge or facet. Expected O(n log n) time for any input; about 200 bytes a point from
 * the arena, where the lists stay. OUT_OF_MEMORY; GIVEN_UP where the arena's budget is spent.
 */
gjk_status gjk_hull3_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count,
                          gjk_hull3 *out) GJK_MUST_USE;

/* How far inside its neighbours' chord a vertex may lie and still count as collinear, relative to
 * the larger side of the outline's bounding box: 1e-12, and a thousandth of it for the rounding of
 * coordinates that are meant to lie just there. */
#define GJK_OUTLINE_SLACK 1.001e-12

/*
 * Tells whether the closed line through count >= 3 vertices, whose hull is given, is the outline
 * of a convex polygon in either winding. NOT_CONVEX with *bad_vertex the first vertex that is
 * concave or where the line turns back or begins another round; 0 when it has no area. O(n) time;
 * 24 bytes a vertex from the arena. OUT_OF_MEMORY.
 */
gjk_status gjk_outline_check(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                             const gjk_hull2 *hull, uint32_t *bad_vertex) GJK_MUST_USE;

/* Half spaces normal . x <= offset, in the shape's own frame. */
typedef struct gjk_facet {
    gjk_vec3 normal; /* unit length */
    double offset;
} gjk_facet;

typedef struct gjk_facets {
    gjk_facet *items;
    uint32_t count;
} gjk_facets;

/*
 * The half spaces whose intersection is the core of a shape that has a cloud, flat ones and points
 * included, up to rounding: a few units in the last place of the size in each offset. The normals
 * are those of the hull's edges (2D) or triangles (3D); each offset is that of the cloud's farthest
 * point, so that all of the shape lies in every half space. In the arena. O(n log n) and a scan of
 * the cloud for each. OUT_OF_MEMORY.
 */
gjk_status gjk_facets_make(struct gjk_arena *arena, const gjk_shape *shape,
                           gjk_facets *out) GJK_MUST_USE;

#endif
