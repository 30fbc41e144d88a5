/*
 * A ray at any placed shape: gjk_detect decides whether the origin is inside, then the GJK ray
 * cast finds the hit. The ray's origin is the second shape of the pair, so that the kernels cast
 * a ray from the origin at a - b.
 */

#include "ray/general.h"

#include "ray/kernels.h"
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
