#ifndef GJK_SHAPE_CLOUD_H
#define GJK_SHAPE_CLOUD_H

/* The part of every shape's construction that is the same: checks, columns, extents. */

#include "gjk/shape.h"

/* NOT_FINITE or OUT_OF_RANGE for a bad coordinate. z is not looked at in 2D. */
gjk_status gjk_cloud_check(uint32_t dimension, const gjk_vec3 *points, uint32_t count) GJK_MUST_USE;

/*
 * Makes the shape of the given type around count >= 1 checked points (distinct, and
 * in 2D counter-clockwise), radius included, in memory of the arena. OUT_OF_MEMORY.
 */
gjk_status gjk_cloud_finish(struct gjk_arena *arena, const gjk_shape *head, const gjk_vec3 *points,
                            gjk_shape *out) GJK_MUST_USE;

#endif
