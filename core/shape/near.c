/*
 * The points of a far shape are exact relative to its offset, so all that its distance from its
 * own origin could cost is in the place of that offset in the world. The difference of two such
 * places is rounded once, to the digits that matter between shapes that are close.
 */

#include "shape/near.h"

#include "shape/cloud.h"

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
