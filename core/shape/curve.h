#ifndef GJK_SHAPE_CURVE_H
#define GJK_SHAPE_CURVE_H

#include "gjk/shape.h"

/*
 * The point of a curved shape (count 0: ellipse, half ellipse, slice, cylinder,
 * cone, custom) farthest along a direction that is not zero, in the own frame. The
 * radius is not added. Within a few units in the last place of the size.
 */
void gjk_curve_support(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point);

#endif
