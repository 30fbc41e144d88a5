/*
 * How does a step that a kernel took look in the world? Turned by the pose of a, in
 * the caller's unit, and with the radii taken off the bounds.
 */

#include "pair/world_recorder.h"

void gjk_record_in_world(void *user, const gjk_trace_step *step) {
    const gjk_world_recorder *to = user;
    const gjk_mat3 *rotation = &to->pose->rotation;
    const double length = 1.0 / to->unit;
    gjk_trace_step out = *step;
    out.direction = gjk_mul3(rotation, step->direction);
    out.support_a = gjk_pose_apply(to->pose, gjk_scale3(length, step->support_a));
    out.support_b = gjk_pose_apply(to->pose, gjk_scale3(length, step->support_b));
    out.support_w = gjk_mul3(rotation, gjk_scale3(length, step->support_w));
    out.closest = gjk_mul3(rotation, gjk_scale3(length, step->closest));
    for (uint32_t i = 0; i < step->simplex_count; i++) {
        out.simplex[i] = gjk_mul3(rotation, gjk_scale3(length, step->simplex[i]));
    }
    out.lower_bound = step->lower_bound * length - to->radius;
    out.upper_bound = step->upper_bound * length - to->radius;
    to->recorder->record(to->recorder->user, &out);
}
