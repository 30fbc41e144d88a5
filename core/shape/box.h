#ifndef GJK_SHAPE_BOX_H
#define GJK_SHAPE_BOX_H

/*
 * Boxes so wide that a query which skips what they do not meet loses no answer. Queries find a
 * pair touching at a gap of up to tolerance * size, and a few roundings of the coordinates at
 * hand further (see gjk_goal and the ray kernels: 2^-49 of positions and reaches). A box is
 * widened by 32 times that, and by what tolerances up to GJK_BOX_TOLERANCE ask for; a larger
 * tolerance asks for looseness, which is relative to a box's largest side: no shape is longer
 * than the diagonal of a box around it, that is sqrt(3) of those sides.
 */

#include "base/wide.h"
#include "gjk/shape.h"

#define GJK_BOX_ROUNDING 0x1p-44
#define GJK_BOX_LEAST 0x1p-1060 /* where that underflows */
#define GJK_BOX_TOLERANCE 1e-9

/* Returns the margin of a box around its shape on every axis; none on z in 2D. */
static inline double gjk_box_slack(const gjk_placed *placed) {
    const gjk_shape *shape = placed->shape;
    return GJK_BOX_ROUNDING * (gjk_largest3(placed->pose.position) + shape->reach) +
           2.0 * GJK_BOX_TOLERANCE * shape->size + GJK_BOX_LEAST;
}

/* Returns how much wider yet for a tolerance, as a part of the box's largest side. */
static inline double gjk_box_looseness(double tolerance) {
    return tolerance > GJK_BOX_TOLERANCE ? 2.0 * tolerance : 0.0;
}

static inline gjk_bounds gjk_box_widen(gjk_bounds box, uint32_t dimension, double by) {
    const gjk_vec3 d = {by, by, dimension == 3 ? by : 0.0};
    return (gjk_bounds){gjk_sub3(box.min, d), gjk_add3(box.max, d)};
}

/* The widened box of a placed shape. */
static inline gjk_bounds gjk_box_of(const gjk_placed *placed) {
    return gjk_box_widen(gjk_placed_bounds(placed), placed->shape->dimension,
                         gjk_box_slack(placed));
}

static inline gjk_bounds gjk_box_none(void) {
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

/* Returns a number proportional to the chance that a random line or plane meets the box: half the
 * surface in 3D, half the outline in 2D. */
static inline double gjk_box_measure(const gjk_bounds *box, uint32_t dimension) {
    gjk_vec3 d = gjk_sub3(box->max, box->min);
    return dimension == 2 ? d.x + d.y : d.x * d.y + d.z * (d.x + d.y);
}

/* The widest gap between the boxes of two placed shapes along an axis of the world, and that axis,
 * from a to b; 0 when it does not prove that they are apart by more than the tolerance (a
 * length). */
double gjk_boxes_gap(const gjk_placed *a, const gjk_placed *b, double tolerance, gjk_vec3 *axis);

/* Shapes far from their own origins, brought near: where the middle of such a shape stands is
 * computed with twice the digits, and a query is asked of the same shapes in a world whose origin
 * is there. Ordinary shapes take no part in this. */

/* Returns true if a query must bring the shape near first. */
static inline bool gjk_is_far(const gjk_placed *placed) {
    return placed->shape->is_far || placed->pose.form == GJK_POSE_REST;
}

/* A shape in a frame whose origin is in its middle. Must not move in memory once `placed` is
 * set. */
typedef struct gjk_near_shape {
    gjk_placed placed;
    gjk_shape shape; /* of placed, where it is not the one given */
} gjk_near_shape;

/* Places the shape relative to its middle (or for one that is not far, its origin), and tells where
 * in the world that stands. */
gjk_wide3 gjk_near_make(const gjk_placed *placed, gjk_near_shape *out);

/* Brings two shapes near together, a to the origin, and tells where in the world that stands. */
gjk_wide3 gjk_near_pair(const gjk_placed *a, const gjk_placed *b, gjk_near_shape *near_a,
                        gjk_near_shape *near_b);

#endif
