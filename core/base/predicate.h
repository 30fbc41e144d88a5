#ifndef GJK_BASE_PREDICATE_H
#define GJK_BASE_PREDICATE_H

/*
 * Orientation predicates: on which side of a line or plane a point lies. The answer is the sign of
 * a determinant and is correct for all finite doubles: a floating-point filter decides nearly every
 * call inline, exact arithmetic the rest. (The filter's bound is proven for magnitudes up to 4 *
 * GJK_COORDINATE_MAX, the exact part for all.)
 *
 * Source of the filter: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust
 * Geometric Predicates, 1997. With e = 2^-53, the determinants below err by at most (3 + 16e) e and
 * (7 + 56e) e times their permanents; 4e and 8e are used here. His proof excludes underflow: it may
 * cost each product 2^-1075, which later factors raise to less than 2^-565 at these magnitudes, so
 * 2^-560 is added to the relative bound. If a product overflows, the bound is infinite or the
 * determinant NaN, and the exact part decides.
 */

#include <stdbool.h>

#include "gjk/vec.h"

#define GJK_ORIENT2_ERROR 0x1p-51
#define GJK_ORIENT3_ERROR 0x1p-50
#define GJK_ORIENT_UNDERFLOW 0x1p-560

/* Decide orientations exactly, in 0.05 to 0.4 microseconds. */
int gjk_orient2_exact(gjk_vec2 a, gjk_vec2 b, gjk_vec2 c);
int gjk_orient3_exact(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c, gjk_vec3 d);

/*
 * Returns a vector along (b - a) x (c - a) whose largest component is from 1/2 to 1. Each component
 * is the exact one times a common power of two, within two units in its last place, or 0 if below
 * 2^-1074. Zero only if the three points are collinear. For any finite doubles; 0.2 to 1
 * microseconds.
 */
gjk_vec3 gjk_cross3_exact(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c);

/*
 * Returns the point at which two segments cross in their interiors. Each coordinate is rounded
 * once: to the nearest double, or to the nearest multiple of `step`, a power of two, if that is
 * coarser (0: never). The point lies in the boxes of both segments. For magnitudes up to
 * GJK_COORDINATE_MAX; 1 microsecond.
 */
gjk_vec2 gjk_crossing2(gjk_vec2 a0, gjk_vec2 a1, gjk_vec2 b0, gjk_vec2 b1, double step);

/*
 * Returns 1 if c lies to the left of the line from a to b, -1 to the right, 0 on it (or if a and b
 * coincide).
 */
static inline int gjk_orient2_sign(gjk_vec2 a, gjk_vec2 b, gjk_vec2 c) {
    double left = (b.x - a.x) * (c.y - a.y);
    double right = (b.y - a.y) * (c.x - a.x);
    double area = left - right;
    double bound = GJK_ORIENT2_ERROR * (fabs(left) + fabs(right)) + GJK_ORIENT_UNDERFLOW;

    if (area > bound) {
        return 1;
    }
    return -area > bound ? -1 : gjk_orient2_exact(a, b, c);
}

/*
 * Applies only the filter of gjk_orient3_sign: returns 1 or -1 if the sign is certain, else 0.
 * *measure is six times the volume of the tetrahedron, rounded.
 */
static inline int gjk_orient3_filter(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c, gjk_vec3 d,
                                     double *measure) {
    gjk_vec3 u = gjk_sub3(b, a), v = gjk_sub3(c, a), w = gjk_sub3(d, a);
    double uxvy = u.x * v.y, vxuy = v.x * u.y;
    double vxwy = v.x * w.y, wxvy = w.x * v.y;
    double wxuy = w.x * u.y, uxwy = u.x * w.y;
    double volume = w.z * (uxvy - vxuy) + u.z * (vxwy - wxvy) + v.z * (wxuy - uxwy);
    double permanent = (fabs(uxvy) + fabs(vxuy)) * fabs(w.z) +
                       (fabs(vxwy) + fabs(wxvy)) * fabs(u.z) +
                       (fabs(wxuy) + fabs(uxwy)) * fabs(v.z);
    double bound = GJK_ORIENT3_ERROR * permanent + GJK_ORIENT_UNDERFLOW;

    *measure = volume;
    return (volume > bound) - (-volume > bound);
}

/*
 * Returns 1 if d lies on the side of the plane abc to which cross(b - a, c - a) points, -1 on the
 * other side, 0 on the plane (or if a, b, c are collinear).
 */
static inline int gjk_orient3_sign(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c, gjk_vec3 d) {
    double measure;
    int sign = gjk_orient3_filter(a, b, c, d, &measure);
    return sign != 0 ? sign : gjk_orient3_exact(a, b, c, d);
}

/* Returns true if three points are exactly collinear. */
static inline bool gjk_collinear3(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    return gjk_orient2_sign(gjk_xy(a), gjk_xy(b), gjk_xy(c)) == 0 &&
           gjk_orient2_sign((gjk_vec2){a.y, a.z}, (gjk_vec2){b.y, b.z}, (gjk_vec2){c.y, c.z}) ==
               0 &&
           gjk_orient2_sign((gjk_vec2){a.z, a.x}, (gjk_vec2){b.z, b.x}, (gjk_vec2){c.z, c.x}) == 0;
}

#endif
