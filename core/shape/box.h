#ifndef GJK_SHAPE_BOX_H
#define GJK_SHAPE_BOX_H

/*
 * Bounding boxes with margins, such that a query that skips shapes by their boxes loses no answer.
 * Queries report contact at gaps of up to tolerance * size, plus a few rounding errors of the
 * coordinates (see gjk_goal and the ray kernels: 2^-49 of positions and reaches). The margin of a
 * box is 32 times that error, plus the gap for tolerances up to GJK_BOX_TOLERANCE. Larger
 * tolerances need looseness, which is relative to a box's largest side: a shape is never longer
 * than the diagonal of its box, sqrt(3) times that side.
 */

#include "base/wide.h"
#include "gjk/shape.h"

#define GJK_BOX_ROUNDING 0x1p-44
#define GJK_BOX_LEAST 0x1p-1060 /* if the relative margin underflows */
#define GJK_BOX_TOLERANCE 1e-9

/* Returns the margin of a box around its shape, on every axis (in 2D not on z). */
static inline double gjk_box_slack(const gjk_placed *placed) {
    const gjk_shape *shape = placed->shape;
    return GJK_BOX_ROUNDING * (gjk_largest3(placed->pose.position) + shape->reach) +
           2.0 * GJK_BOX_TOLERANCE * shape->size + GJK_BOX_LEAST;
}

/* Returns the additional margin that a tolerance needs, as a fraction of the box's largest side. */
static inline double gjk_box_looseness(double tolerance) {
    return tolerance > GJK_BOX_TOLERANCE ? 2.0 * tolerance : 0.0;
}

static inline gjk_bounds gjk_box_widen(gjk_bounds box, uint32_t dimension, double by) {
    const gjk_vec3 d = {by, by, dimension == 3 ? by : 0.0};
    return (gjk_bounds){gjk_sub3(box.min, d), gjk_add3(box.max, d)};
}

/* Returns the bounding box of a placed shape, with its margin. */
static inline gjk_bounds gjk_box_of(const gjk_placed *placed) {
    return gjk_box_widen(gjk_placed_bounds(placed), placed->shape->dimension,
                         gjk_box_slack(placed));
}

static inline gjk_bounds gjk_box_empty(void) {
    return (gjk_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline gjk_bounds gjk_box_join(const gjk_bounds *a, const gjk_bounds *b) {
    return (gjk_bounds){{a->min.x < b->min.x ? a->min.x : b->min.x,
                         a->min.y < b->min.y ? a->min.y : b->min.y,
                         a->min.z < b->min.z ? a->min.z : b->min.z},
                        {a->max.x > b->max.x ? a->max.x : b->max.x,
                         a->max.y > b->max.y ? a->max.y : b->max.y,
                         a->max.z > b->max.z ? a->max.z : b->max.z}};
}

static inline bool gjk_box_holds(const gjk_bounds *outer, const gjk_bounds *inner) {
    return outer->min.x <= inner->min.x && outer->min.y <= inner->min.y &&
           outer->min.z <= inner->min.z && outer->max.x >= inner->max.x &&
           outer->max.y >= inner->max.y && outer->max.z >= inner->max.z;
}

/* Returns a number proportional to the probability that a random line meets the box: half the
 * surface in 3D, half the perimeter in 2D. */
static inline double gjk_box_measure(const gjk_bounds *box, uint32_t dimension) {
    gjk_vec3 d = gjk_sub3(box->max, box->min);
    return dimension == 2 ? d.x + d.y : d.x * d.y + d.z * (d.x + d.y);
}

/* Returns the widest gap between the boxes of two placed shapes along an axis of the world, and
 * writes that axis, from a to b. Returns 0 if the gap does not prove a distance of more than
 * `tolerance` (a length). */
double gjk_boxes_gap(const gjk_placed *a, const gjk_placed *b, double tolerance, gjk_vec3 *axis);

/* Shapes far from their own origins, brought near: the world position of such a shape's middle is
 * computed in double-double, and the query runs in a world whose origin is there. Ordinary shapes
 * do not need this. */

/* Returns true if a query must bring the shape near first. */
static inline bool gjk_is_far(const gjk_placed *placed) {
    return placed->shape->is_far || placed->pose.form == GJK_POSE_REST;
}

/* A shape in a frame whose origin is in its middle. Must not move in memory once `placed` is
 * set. */
typedef struct gjk_near_shape {
    gjk_placed placed;
    gjk_shape shape; /* used by `placed` if it differs from the given shape */
} gjk_near_shape;

/* Places a shape relative to its middle (or its origin, if it is not far). Returns the world
 * position of that point. */
gjk_wide3 gjk_near_make(const gjk_placed *placed, gjk_near_shape *out);

/* Brings two shapes near each other, with a at the origin. Returns the origin's world position. */
gjk_wide3 gjk_near_pair(const gjk_placed *a, const gjk_placed *b, gjk_near_shape *near_a,
                        gjk_near_shape *near_b);

#endif
