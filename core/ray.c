/*
 * What does a ray hit of one placed shape? First whether the origin is inside, by
 * the same boolean that gjk_detect answers; then a closed form for balls, and the
 * general ray cast for every other shape. The ray's origin plays the second shape
 * of the pair, so the kernels see a ray from the origin at a - b.
 */

#include "gjk/ray.h"

#include "ray2.h"
#include "ray3.h"
#include "rounding.h"

gjk_ray_settings gjk_ray_settings_default(void) {
    return (gjk_ray_settings){GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT, true};
}

static bool finite3(gjk_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static double largest(gjk_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

gjk_status gjk_ray_make(gjk_vec3 origin, gjk_vec3 direction, double max_distance, gjk_ray *out) {
    if (!finite3(origin) || !finite3(direction) || isnan(max_distance)) {
        return GJK_NOT_FINITE;
    }
    if (largest(origin) > GJK_COORDINATE_MAX || max_distance < 0.0) {
        return GJK_OUT_OF_RANGE;
    }
    double most = largest(direction);
    if (most == 0.0) {
        return GJK_ZERO_DIRECTION;
    }
    int exponent;
    (void)frexp(most, &exponent);
    gjk_vec3 d = {ldexp(direction.x, -exponent), ldexp(direction.y, -exponent),
                  ldexp(direction.z, -exponent)};
    double length = gjk_length3(d);
    out->origin = origin;
    out->direction = (gjk_vec3){d.x / length, d.y / length, d.z / length};
    out->max_distance = max_distance;
    return GJK_OK;
}

/* The ray's origin as a shape: a point at that place, axes as in the world. */
static gjk_shape origin_shape(uint32_t dimension) {
    static const double columns[3 * GJK_LANES] = {0};
    return (gjk_shape){.type = GJK_POINT,
                       .dimension = dimension,
                       .count = 1,
                       .stride = GJK_LANES,
                       .columns = columns};
}

/* From the nearest point of the ray to the centre, back by half a chord. */
static gjk_ray_solution hit_ball(const gjk_frame3 *frame, const gjk_ray_goal *goal) {
    gjk_vec3 own = gjk_scale3(frame->unit, gjk_shape_point(frame->a, 0));
    gjk_vec3 center = gjk_sub3(own, frame->translation);
    double along = gjk_dot3(center, goal->direction);
    gjk_vec3 off = gjk_sub3(center, gjk_scale3(along, goal->direction));
    double distance = gjk_length3(off);
    double rounding = 4 * GJK_ROUNDING * (frame->scale + goal->radius);
    gjk_ray_solution solution = {.hit = false, .iterations = 1};
    if (distance > goal->radius + rounding) {
        return solution;
    }
    double squared = (goal->radius - distance) * (goal->radius + distance);
    double chord = squared > 0.0 ? sqrt(squared) : 0.0;
    double t = along - chord;
    if (t < 0.0 || t > goal->reach + rounding) {
        return solution; /* behind the origin (which is not inside), or out of reach */
    }
    gjk_vec3 normal = gjk_neg3(gjk_add3(off, gjk_scale3(chord, goal->direction)));
    double length = gjk_length3(normal);
    solution.hit = true;
    solution.t = t;
    solution.normal =
        length > rounding ? gjk_scale3(1.0 / length, normal) : gjk_neg3(goal->direction);
    return solution;
}

static gjk_ray_solution solve(const gjk_placed *target, const gjk_placed *origin,
                              const gjk_ray_goal *wish, double *unit) {
    gjk_frame3 frame = gjk_frame3_make(target, origin);
    gjk_ray_goal goal = *wish;
    *unit = frame.unit;
    goal.direction = gjk_mul3_transposed(&target->pose.rotation, wish->direction);
    goal.reach *= frame.unit;
    goal.radius *= frame.unit;
    goal.tolerance *= frame.unit;
    if (target->shape->count == 1) {
        return hit_ball(&frame, &goal);
    }
    if (target->shape->dimension == 2) {
        gjk_frame2 flat = gjk_frame2_make(target, origin);
        return gjk_ray2(&flat, &goal);
    }
    return gjk_ray3(&frame, &goal);
}

/* A grazed surface's normal, turned by rounding to the far side of the ray, turned back. */
static gjk_vec3 facing(gjk_vec3 normal, gjk_vec3 direction) {
    double along = gjk_dot3(normal, direction);
    return along > 0.0 ? gjk_sub3(normal, gjk_scale3(2.0 * along, direction)) : normal;
}

static gjk_ray_result to_world(const gjk_placed *target, const gjk_ray *ray,
                               const gjk_ray_solution *solution, double unit) {
    gjk_ray_result result = {
        .hit = solution->hit,
        .convergence = solution->undecided ? GJK_ITERATION_LIMIT : GJK_CONVERGED,
        .iterations = solution->iterations,
    };
    if (solution->hit) {
        result.has_normal = true;
        result.distance = fmin(solution->t / unit, ray->max_distance);
        result.point = gjk_add3(ray->origin, gjk_scale3(result.distance, ray->direction));
        gjk_vec3 normal = gjk_mul3(&target->pose.rotation, solution->normal);
        result.normal = gjk_no_minus_zero3(facing(normal, ray->direction));
    }
    return result;
}

static gjk_ray_result from_inside(const gjk_ray *ray, const gjk_ray_settings *settings,
                                  const gjk_detect_result *inside) {
    return (gjk_ray_result){
        .hit = settings->solid,
        .inside = true,
        .convergence = inside->convergence,
        .iterations = inside->iterations,
        .point = ray->origin,
    };
}

gjk_ray_result gjk_raycast(const gjk_placed *target, const gjk_ray *ray,
                           const gjk_ray_settings *settings) {
    const gjk_shape *shape = target->shape;
    const gjk_shape point = origin_shape(shape->dimension);
    const gjk_placed origin = {&point, gjk_pose_identity()};
    gjk_placed start = origin;
    start.pose.position = ray->origin;
    const gjk_detect_settings boolean = {
        .tolerance = settings->tolerance,
        .max_iterations = settings->max_iterations,
    };
    gjk_detect_result inside = gjk_detect(target, &start, &boolean);
    if (inside.state != GJK_SEPARATED) {
        return from_inside(ray, settings, &inside);
    }
    gjk_ray_goal goal = {
        .direction = ray->direction,
        .reach = ray->max_distance,
        .radius = shape->radius,
        .tolerance = settings->tolerance * shape->size,
        .max_iterations = settings->max_iterations,
    };
    double unit;
    gjk_ray_solution solution = solve(target, &start, &goal, &unit);
    return to_world(target, ray, &solution, unit);
}
