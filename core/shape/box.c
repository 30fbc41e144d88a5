/*
 * The gap between boxes, and far shapes brought near.
 *
 * The separating-axis test of the widened boxes of two shapes: axis-aligned boxes can only be
 * separated along the axes of the world, so the gap is the widest of the three axes, in either
 * direction.
 */

#include "shape/box.h"

#include "base/numbers.h"
#include "shape/convex/cloud.h"

double gjk_boxes_gap(const gjk_placed *a, const gjk_placed *b, double tolerance, gjk_vec3 *axis) {
    const gjk_bounds p = gjk_box_of(a), q = gjk_box_of(b);
    const gjk_vec3 after = gjk_sub3(q.min, p.max), before = gjk_sub3(p.min, q.max);
    const double gaps[6] = {after.x, before.x, after.y, before.y, after.z, before.z};
    double widest = 0.0;
    /* the part of the tolerance that is not in the boxes' margins */
    double more = tolerance - 2.0 * GJK_BOX_TOLERANCE * gjk_larger(a->shape->size, b->shape->size);
    for (int i = 0; i < 2 * (int)a->shape->dimension; i++) {
        if (gaps[i] > widest) {
            const double sign = i % 2 == 0 ? 1.0 : -1.0;
            widest = gaps[i];
            *axis = (gjk_vec3){i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0,
                               i / 2 == 2 ? sign : 0.0};
        }
    }
    return widest > more ? widest : 0.0;
}

/* The points of a far shape are exact relative to its offset, so the only rounding error due to its
 * distance from its own origin is that of the offset's position in the world. The difference of two
 * such positions is rounded once, to the digits that matter between close shapes. */

gjk_wide3 gjk_near_make(const gjk_placed *placed, gjk_near_shape *out) {
    gjk_wide3 at = gjk_wide3_of(placed->pose.position);
    if (placed->shape->is_far) {
        at = gjk_pose_apply_wide(&placed->pose, gjk_wide3_of(placed->shape->offset));
    } else if (placed->pose.form == GJK_POSE_REST) {
        at.low = placed->pose.rest;
    }
    out->placed = *placed;
    if (placed->shape->is_far) {
        gjk_shape_about_offset(placed->shape, &out->shape);
        out->placed.shape = &out->shape;
    }
    out->placed.pose.position = (gjk_vec3){0, 0, 0};
    out->placed.pose.form = GJK_POSE_PLAIN;
    return at;
}

gjk_wide3 gjk_near_pair(const gjk_placed *a, const gjk_placed *b, gjk_near_shape *near_a,
                        gjk_near_shape *near_b) {
    const gjk_wide3 of_a = gjk_near_make(a, near_a), of_b = gjk_near_make(b, near_b);
    near_b->placed.pose.position = gjk_wide3_sub(of_b, of_a);
    return of_a;
}
