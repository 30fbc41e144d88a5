/*
 * Conveys the steps of a traced query from the kernels to the caller's recorder. Steps are recorded
 * in the frame of the pair, then rotated by the pose of a into the world and converted to the
 * caller's unit, with the radii subtracted from the bounds.
 */

#include "pair/recording.h"

static void record(const gjk_goal *goal, const gjk_solution *solution, const gjk_vertex3 *support,
                   gjk_trace_step *step) {
    step->support_a = support->a;
    step->support_b = support->b;
    step->support_w = support->w;
    step->lower_bound = solution->lower;
    step->upper_bound = solution->upper;
    goal->recorder->record(goal->recorder->user, step);
}

void gjk_record_gjk(const gjk_goal *goal, const gjk_solution *solution, gjk_vec3 direction,
                    const gjk_simplex3 *simplex, const gjk_vertex3 *support, const char *note) {
    gjk_trace_step step = {
        .phase = GJK_PHASE_GJK,
        .direction = direction,
        .simplex_count = simplex->count,
        .note = note,
    };
    gjk_vec3 closest = {0, 0, 0};
    for (uint32_t i = 0; i < simplex->count; i++) {
        step.simplex[i] = simplex->vertex[i].w;
        closest = gjk_add3(closest, gjk_scale3(simplex->weight[i], simplex->vertex[i].w));
    }
    step.closest = solution->upper > 0.0 ? closest : (gjk_vec3){0, 0, 0};
    record(goal, solution, support, &step);
}

void gjk_record_epa(const gjk_goal *goal, const gjk_solution *solution,
                    const gjk_traced_face *plane, const gjk_vertex3 *support, const char *note) {
    gjk_trace_step step = {
        .phase = GJK_PHASE_EPA,
        .direction = plane->normal,
        .simplex_count = plane->count,
        .closest = plane->nearest,
        .note = note,
    };
    for (uint32_t i = 0; i < plane->count; i++) {
        step.simplex[i] = plane->corner[i];
    }
    record(goal, solution, support, &step);
}

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
