#ifndef GJK_SHAPE_CONVEX_HULL_H
#define GJK_SHAPE_CONVEX_HULL_H

/* Convex hulls of points in 2D and 3D, and outlines of convex polygons. */

#include "base/predicate.h"
#include "gjk/arena.h"
#include "gjk/shape.h"

typedef struct gjk_hull2 {
    uint32_t *corners; /* indices, counter-clockwise, starting at the least (x, y) */
    uint32_t count;    /* 1: all points coincide; 2: all are collinear */
} gjk_hull2;

/*
 * Finds the corners of the convex hull of count >= 1 finite points, projected along an axis (2 in
 * the plane): exactly the points that are no convex combination of others; of coincident points the
 * one with the lowest index. O(n log n). The arena holds 28 bytes per point, with the corners, and
 * temporarily twice as much. Returns OUT_OF_MEMORY, or GIVEN_UP if the arena's budget is spent.
 */
gjk_status gjk_hull2_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count, int axis,
                          gjk_hull2 *out) GJK_MUST_USE;

/* Returns the two coordinates other than axis (0: x), in right-handed order: (y, z), (z, x) or (x,
 * y). */
static inline gjk_vec2 gjk_seen_along(gjk_vec3 p, int axis) {
    return axis == 0 ? (gjk_vec2){p.y, p.z} : axis == 1 ? (gjk_vec2){p.z, p.x} : gjk_xy(p);
}

typedef struct gjk_hull3 {
    uint32_t *corners; /* indices, ascending */
    uint32_t count;
    uint32_t (*triangles)[3]; /* the boundary, counter-clockwise from outside; NULL if flat */
    uint32_t triangle_count;
    uint32_t rank; /* dimension of the hull: 0 (all points coincide) to 3 */
} gjk_hull3;

/*
 * Finds the corners of the convex hull of count >= 1 finite points with coordinates up to 4 *
 * GJK_COORDINATE_MAX: exactly the points that are no convex combination of others; one of each
 * group of coincident points. Triangles may also have vertices inside an edge or a facet of the
 * hull. Expected O(n log n) for any input; the arena holds about 200 bytes per point, with the
 * results. Returns OUT_OF_MEMORY, or GIVEN_UP if the arena's budget is spent.
 */
gjk_status gjk_hull3_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count,
                          gjk_hull3 *out) GJK_MUST_USE;

/* --- Quickhull: grows a tetrahedron into the hull of points in space --- */

#define GJK_NO_POINT UINT32_MAX

/*
 * Points, and the same points scaled by a power of two to magnitudes below 1, so that volumes
 * cannot overflow. If the scaling flushes a coordinate to zero, the change is far below
 * GJK_ORIENT_UNDERFLOW: the filter stays valid for scaled points, and the exact predicate uses the
 * original points.
 */
typedef struct gjk_cloud3 {
    const gjk_vec3 *points;
    const gjk_vec3 *scaled;
    uint32_t count;
} gjk_cloud3;

/* Returns gjk_orient3_sign for a triangle and a point by index. *measure: six times the volume
 * between them, rounded, in the scaled unit. */
static inline int gjk_cloud3_side(const gjk_cloud3 *cloud, const uint32_t triangle[3],
                                  uint32_t point, double *measure) {
    const gjk_vec3 *s = cloud->scaled, *p = cloud->points;
    uint32_t i = triangle[0], j = triangle[1], k = triangle[2];
    int sign = gjk_orient3_filter(s[i], s[j], s[k], s[point], measure);
    return sign != 0 ? sign : gjk_orient3_exact(p[i], p[j], p[k], p[point]);
}

/* Number of side tests per point after which the order becomes random. Points on a sphere take 45
 * to 65. */
#define GJK_QUICKHULL3_LOOKS 96

/* Grows the hull from four points that are not coplanar, the fourth on the negative side of the
 * first three. Sets marks[i] for each corner i of the hull, and the triangles of out. looks: see
 * GJK_QUICKHULL3_LOOKS; the marks do not depend on it. Returns OUT_OF_MEMORY, or GIVEN_UP if the
 * budget is spent. */
gjk_status gjk_quickhull3(struct gjk_arena *arena, const gjk_cloud3 *cloud, const uint32_t start[4],
                          uint32_t looks, uint8_t *marks, gjk_hull3 *out) GJK_MUST_USE;

/* --- Outlines and facets --- */

/* Depth of a vertex inside the chord of its neighbours up to which it counts as collinear, relative
 * to the larger side of the outline's bounding box: 1e-12, plus a thousandth for the rounding of
 * coordinates that are meant to be at that limit. */
#define GJK_OUTLINE_SLACK 1.001e-12

/*
 * Checks that the closed line through count >= 3 vertices, whose hull is given, is the outline of a
 * convex polygon, in either winding. Returns NOT_CONVEX with *bad_vertex the first vertex that is
 * concave, or where the line turns back or begins another round; 0 if the polygon has no area.
 * O(n); 24 bytes per vertex from the arena. Returns OUT_OF_MEMORY on failure.
 */
gjk_status gjk_outline_check(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                             const gjk_hull2 *hull, uint32_t *bad_vertex) GJK_MUST_USE;

/* A half space normal . x <= offset, in the shape's own frame. */
typedef struct gjk_facet {
    gjk_vec3 normal; /* unit length */
    double offset;
} gjk_facet;

typedef struct gjk_facets {
    gjk_facet *items;
    uint32_t count;
} gjk_facets;

/*
 * Computes the half spaces whose intersection is the core of a cloud shape, also of flat ones and
 * points. The normals are those of the hull's edges (2D) or triangles (3D). Each offset is that of
 * the support point, so that all half spaces contain the shape, up to a few units in the last place
 * of its size. O(n log n), plus a scan of the cloud per facet. The result is in the arena. Returns
 * OUT_OF_MEMORY on failure.
 */
gjk_status gjk_facets_make(struct gjk_arena *arena, const gjk_shape *shape,
                           gjk_facets *out) GJK_MUST_USE;

#endif
