/*
 * The GJK ray cast (van den Bergen, Ray Casting against General Convex Objects, 2004): GJK is
 * iterated for the ray's current point, and whenever a support plane separates the point from
 * the shape, the point advances to that plane. The distance to a convex shape is a convex
 * function along the ray, so the planes are steps of Newton's method from outside, and the
 * point never passes the surface. Deviations: plane normals are those of the nearest feature
 * (see gjk3.c); a plane nearer than rounding does not move the point, so that a grazing ray is
 * not moved past what it grazes.
 */

#include "ray/general/general.h"

#include "base/numbers.h"
#include "pair/gjk/simplex.h"

typedef struct ray_state3 {
    gjk_ray_progress progress;
    gjk_vec3 point;       /* t * direction */
    gjk_vec3 normal;      /* of the plane that moved it there */
    gjk_simplex3 simplex; /* of a - b, with the vertices unshifted */
} ray_state3;

/*
 * Reduces the simplex to its feature nearest the ray's point; *toward leads from there to the
 * point. Returns true when the simplex contains the point.
 */
static bool reduce_about(ray_state3 *state, gjk_vec3 *toward) {
    gjk_simplex3 about = state->simplex;
    gjk_feature3 feature;
    for (uint32_t i = 0; i < about.count; i++) {
        about.vertex[i].w = gjk_sub3(about.vertex[i].w, state->point);
    }
    if (gjk_simplex3_find(&about, &feature)) {
        gjk_simplex3_find_surface(&about, &feature);
        gjk_simplex3_keep(&state->simplex, &feature);
        return true;
    }
    gjk_simplex3_keep(&state->simplex, &feature);
    gjk_simplex3_keep(&about, &feature);
    state->progress.distance = sqrt(feature.squared);
    *toward = gjk_neg3(gjk_simplex3_direction(&about, &feature));
    return false;
}

static gjk_ray_solution answer(const ray_state3 *state, uint32_t iterations) {
    gjk_vec3 point_a, point_b;
    gjk_simplex3_points(&state->simplex, &point_a, &point_b);
    return (gjk_ray_solution){
        .hit = true,
        .iterations = iterations,
        .t = state->progress.t,
        .normal = state->normal,
        .point_a = point_a,
    };
}

gjk_ray_solution gjk_ray3(const gjk_frame3 *frame, const gjk_ray_goal *goal) {
    const gjk_vec3 direction = goal->direction;
    ray_state3 state = {.progress = {.distance = INFINITY}, .normal = gjk_neg3(direction)};
    gjk_vec3 normal = frame->toward, toward;
    for (uint32_t i = 1; i <= goal->max_iterations; i++) {
        if (gjk_budget_spend(goal->budget, goal->steps) && i > 1) {
            break;
        }
        const double rounding = 4 * GJK_ROUNDING * (frame->scale + goal->radius + state.progress.t);
        gjk_vertex3 vertex = gjk_support3(frame, normal);
        const double gap = gjk_dot3(normal, gjk_sub3(state.point, vertex.w)) - goal->radius;
        const double rate = -gjk_dot3(normal, direction);
        const gjk_ray_step step = gjk_ray_advance(&state.progress, goal, gap, rate, rounding);
        if (step == GJK_RAY_MISSED) {
            return (gjk_ray_solution){.hit = false, .iterations = i};
        }
        const double before = step == GJK_RAY_MOVED ? INFINITY : state.progress.distance;
        if (step == GJK_RAY_MOVED) {
            state.point = gjk_scale3(state.progress.t, direction);
            state.normal = normal;
        }
        const bool repeated = gjk_simplex3_has(&state.simplex, &vertex);
        if (!repeated) {
            GJK_CHECK(state.simplex.count < 4);
            state.simplex.vertex[state.simplex.count++] = vertex;
        }
        if (reduce_about(&state, &toward) || state.progress.distance <= rounding) {
            return answer(&state, i);
        }
        if (gjk_ray_is_settled(&state.progress, step, before, repeated)) {
            if (gjk_ray_is_better_normal(&state.progress, goal, frame->curved, gap, rate,
                                         rounding)) {
                state.normal = normal;
            }
            return answer(&state, i);
        }
        normal = toward;
    }
    gjk_ray_solution last = answer(&state, goal->max_iterations);
    last.undecided = state.progress.distance - goal->radius > goal->tolerance;
    return last;
}
