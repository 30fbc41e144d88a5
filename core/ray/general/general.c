/*
 * A ray at any placed shape: gjk_detect decides whether the origin is inside, then the GJK ray
 * cast finds the hit. The ray's origin is the second shape of the pair, so that the kernels cast
 * a ray from the origin at a - b.
 */

#include "ray/general/general.h"

#include "base/numbers.h"
#include "pair/gjk/stopping.h"
#include "ray/query_bounds.h"

/* The ray's origin as a shape: a point. */
static gjk_shape origin_shape(uint32_t dimension) {
    static const _Alignas(64) double columns[3 * GJK_LANES] = {0};
    return (gjk_shape){.type = GJK_POINT,
                       .dimension = dimension,
                       .count = 1,
                       .stride = GJK_LANES,
                       .column_count = dimension,
                       .columns = columns};
}

bool gjk_ray_starts_inside(const gjk_placed *target, const gjk_ray *ray,
                           const gjk_ray_settings *settings, gjk_ray_result *out) {
    const gjk_shape point = origin_shape(target->shape->dimension);
    const gjk_placed start = {&point, {.position = ray->origin, .rotation = gjk_mat3_identity()}};
    const gjk_detect_settings boolean = {
        .tolerance = settings->tolerance,
        .max_iterations = settings->max_iterations,
        .budget = settings->budget,
    };
    gjk_detect_result found = gjk_detect(target, &start, &boolean);
    *out = (gjk_ray_result){
        .hit = settings->solid,
        .inside = true,
        .convergence = found.convergence,
        .iterations = found.iterations,
        .point = ray->origin,
    };
    return found.state != GJK_SEPARATED;
}

/* Where the iteration limit ended the cast, the bounding box may decide more: whether the ray
 * reaches it, and a lower bound of t. */
static bool reaches_box(const gjk_placed *target, const gjk_ray *ray,
                        const gjk_ray_settings *settings, double *t) {
    gjk_query_bounds query =
        gjk_query_bounds_of_ray(ray, target->shape->dimension, settings->tolerance);
    double from = gjk_query_bounds_sweep_key(&query, target, ray->max_distance);
    *t = from > *t ? from : *t;
    return !isnan(from);
}

gjk_ray_result gjk_ray_from_outside(const gjk_placed *target, const gjk_ray *ray,
                                    const gjk_ray_settings *settings) {
    const gjk_shape *shape = target->shape, point = origin_shape(shape->dimension);
    const gjk_placed start = {&point, {.position = ray->origin, .rotation = gjk_mat3_identity()}};
    const gjk_ray_goal goal = {
        .direction = ray->direction,
        .reach = ray->max_distance,
        .radius = shape->radius,
        .tolerance = settings->tolerance * shape->size,
        .max_iterations = settings->max_iterations,
        .budget = settings->budget,
    };
    double unit;
    gjk_ray_solution solution = gjk_ray_at_pair(target, &start, &goal, &unit);
    gjk_ray_result result = {.hit = false};
    double t = solution.t / unit;
    if (solution.undecided) {
        solution.hit = reaches_box(target, ray, settings, &t);
        solution.undecided = solution.hit;
    }
    if (solution.hit) {
        gjk_vec3 normal = gjk_mul3(&target->pose.rotation, solution.normal);
        result = gjk_ray_hit_at(ray, t, normal);
    }
    result.convergence = solution.undecided ? GJK_ITERATION_LIMIT : GJK_CONVERGED;
    result.iterations = solution.iterations;
    return result;
}

gjk_ray_result gjk_raycast_general(const gjk_placed *target, const gjk_ray *ray,
                                   const gjk_ray_settings *settings) {
    gjk_ray_result inside;
    return gjk_ray_starts_inside(target, ray, settings, &inside)
               ? inside
               : gjk_ray_from_outside(target, ray, settings);
}

/*
 * Shared by the 2D and 3D GJK ray casts: the entry, and the rules of a step, which decide
 * when the point advances, when the ray misses and when the cast ends. The method is described
 * in ray3.c.
 */

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
