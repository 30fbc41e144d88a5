#ifndef GJK_SHAPE_CONVEX_SUPPORT_H
#define GJK_SHAPE_CONVEX_SUPPORT_H

#include "gjk/shape.h"
#include "shape/convex/scan.h"

/*
 * Return the support point of the shape's core along a nonzero direction, in the shape's own frame,
 * relative to its offset. The radius is not added. Of equal points of a cloud the one with the
 * lowest index is taken, so that the answer does not depend on the kind of scan. In 3D the numbers
 * are passed one by one: a vector passed by value is written to memory and read back at once, which
 * stalls.
 */
gjk_vec2 gjk_support_of2(const gjk_shape *shape, gjk_vec2 direction);
void gjk_support_of3(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point);

/* Returns the support point in either dimension, with z = 0 in 2D. */
static inline gjk_vec3 gjk_support_of(const gjk_shape *shape, gjk_vec3 d) {
    gjk_vec3 point;
    if (shape->dimension == 2) {
        return gjk_xy0(gjk_support_of2(shape, gjk_xy(d)));
    }
    gjk_support_of3(shape, d.x, d.y, d.z, &point);
    return point;
}

/* Returns the support function of a placed convex shape, with its radius, along a unit vector of
 * the world, relative to the point `from`. */
static inline double gjk_reach_along(const gjk_placed *placed, gjk_vec3 n, gjk_vec3 from) {
    const gjk_vec3 own = gjk_mul3_transposed(&placed->pose.rotation, n);
    const gjk_vec3 at = gjk_add3(placed->shape->offset, gjk_support_of(placed->shape, own));
    return gjk_dot3(n, gjk_sub3(placed->pose.position, from)) + gjk_dot3(own, at) +
           placed->shape->radius;
}

/* Computes the support point of a shape whose core is a curve (count 0), within a few units in the
 * last place of its size. */
void gjk_curve_support(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point);

/* Returns some point of a convex shape, on its boundary or inside, in its own frame. */
gjk_vec3 gjk_shape_any_point(const gjk_shape *shape);

#endif
