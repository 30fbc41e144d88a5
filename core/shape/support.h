#ifndef GJK_SHAPE_SUPPORT_H
#define GJK_SHAPE_SUPPORT_H

#include "gjk/shape.h"
#include "shape/scan.h"

/*
 * The point of the shape's cloud farthest along a direction of any length, in the
 * own frame; among equals the one of the lowest index, so that the answer does not
 * depend on how the scan is done. The radius is not added. In 3D numbers go one by one:
 * a vector passed by value is copied through memory, and waits there.
 */
gjk_vec2 gjk_support_of2(const gjk_shape *shape, gjk_vec2 direction);
void gjk_support_of3(const gjk_shape *shape, double dx, double dy, double dz, gjk_vec3 *point);

/* Index of the farthest of the points in columns, the lowest among equals. */
uint32_t gjk_scan3(const gjk_columns *cloud, double dx, double dy, double dz);

#endif
