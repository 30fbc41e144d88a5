#ifndef GJK_SHAPE_NEAR_H
#define GJK_SHAPE_NEAR_H

/*
 * Shapes far from their own origins, brought near: where the middle of such a shape stands is
 * computed with twice the digits, and a query is asked of the same shapes in a world whose origin
 * is there. Ordinary shapes take no part in this.
 */

#include "base/wide.h"
#include "gjk/shape.h"

/* Returns true if a query must bring the shape near first. */
static inline bool gjk_is_far(const gjk_placed *placed) {
    return placed->shape->is_far || placed->pose.form == GJK_POSE_REST;
}

/* A shape in a frame whose origin is in its middle. Must not move in memory once `placed` is set. */
typedef struct gjk_near_shape {
    gjk_placed placed;
    gjk_shape shape; /* of placed, where it is not the one given */
} gjk_near_shape;

/* Places the shape relative to its middle (or for one that is not far, its origin), and tells
 * where in the world that stands. */
gjk_wide3 gjk_near_make(const gjk_placed *placed, gjk_near_shape *out);

/* Brings two shapes near together, a to the origin, and tells where in the world that stands. */
gjk_wide3 gjk_near_pair(const gjk_placed *a, const gjk_placed *b, gjk_near_shape *near_a,
                        gjk_near_shape *near_b);

#endif
