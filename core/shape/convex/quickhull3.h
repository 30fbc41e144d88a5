#ifndef GJK_SHAPE_CONVEX_QUICKHULL3_H
#define GJK_SHAPE_CONVEX_QUICKHULL3_H

/* Quickhull: the part of hull3.c that grows a tetrahedron into the hull of points in space. */

#include "base/predicate.h"
#include "shape/convex/hull.h"

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

#endif
