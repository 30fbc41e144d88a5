#ifndef GJK_SUPPORT_H
#define GJK_SUPPORT_H

#include "gjk/shape.h"

/*
 * The point of the shape's cloud farthest along a direction of any length, in the
 * own frame; among equals the one of the lowest index, so that the answer does not
 * depend on how the scan is done. The radius is not added.
 */
gjk_vec2 gjk_support_of2(const gjk_shape *shape, gjk_vec2 direction);
gjk_vec3 gjk_support_of3(const gjk_shape *shape, gjk_vec3 direction);

#endif
