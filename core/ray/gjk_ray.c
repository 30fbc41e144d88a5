/*
 * Shared by the 2D and 3D GJK ray casts: the entry, and the rules of a step, which decide
 * when the point advances, when the ray misses and when the cast ends. The method is described
 * in ray3.c.
 */

#include "base/rounding.h"
#include "pair/stopping.h"
#include "ray/kernels.h"

/* No shape is as far away as this; a plane that is reached later is not reached. */
#define FAR 1e200

/* Limits, in roundings, of how much a supporting plane may cut off: in general, and for a shape
 * that is touched at the start, where the direction is inaccurate. */
#define CUT_MAX 0x1p10
#define CUT_AT_START_MAX 0x1p24

gjk_ray_step gjk_ray_advance(gjk_ray_progress *progress, const gjk_ray_goal *goal, double gap,
                             double rate, double rounding) {
    if (gap <= rounding) {
        return GJK_RAY_STAYED;
    }
    if (rate * FAR <= gap) { /* receding: a miss, unless a step back within the slack reaches it */
        return gap + progress->slack * rate > rounding ? GJK_RAY_MISSED : GJK_RAY_STAYED;
    }
    const double t = progress->t + gap / rate, slack = rounding / rate;
    if (t - slack > goal->reach) {
        return GJK_RAY_MISSED;
    }
    progress->slack = slack;
    progress->t = t;
    return GJK_RAY_MOVED;
}

bool gjk_ray_is_better_normal(const gjk_ray_progress *progress, const gjk_ray_goal *goal,
                              bool curved, double gap, double rate, double rounding) {
    const double close_enough = gjk_close_enough(curved, CUT_MAX * rounding, goal->tolerance);
    const bool supports = goal->radius > rounding && gap >= -close_enough;
    const bool starts_there = progress->t == 0.0 && gap >= -CUT_AT_START_MAX * rounding;
    return rate > 0.0 && (supports || starts_there);
}

bool gjk_ray_is_settled(gjk_ray_progress *progress, gjk_ray_step step, double before,
                        bool repeated) {
    progress->stalls += progress->distance >= before;
    return step == GJK_RAY_STAYED && (repeated || progress->stalls > GJK_STALLS_MAX);
}

gjk_ray_solution gjk_ray_at_pair(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_ray_goal *in_world, double *unit) {
    *unit = gjk_pair_unit(a, b);
    const gjk_ray_goal goal = {
        .direction = gjk_mul3_transposed(&a->pose.rotation, in_world->direction),
        .reach = in_world->reach * *unit,
        .radius = in_world->radius * *unit,
        .tolerance = in_world->tolerance * *unit,
        .max_iterations = in_world->max_iterations,
        .steps = gjk_pair_steps(a->shape, b->shape),
        .budget = in_world->budget,
    };
    if (a->shape->dimension == 2) {
        const gjk_frame2 frame = gjk_frame2_make(a, b);
        return gjk_ray2(&frame, &goal);
    }
    const gjk_frame3 frame = gjk_frame3_make(a, b);
    return gjk_ray3(&frame, &goal);
}
