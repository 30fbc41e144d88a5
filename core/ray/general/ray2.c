/*
 * The GJK ray cast in 2D: the twin of ray3.c, which gives the method and its source.
 */

#include "ray/general/general.h"

#include "base/numbers.h"
#include "pair/gjk/simplex.h"

typedef struct ray_state2 {
    gjk_ray_progress progress;
    gjk_vec2 point;       /* t * direction */
    gjk_vec2 normal;      /* of the plane that moved it there */
    gjk_simplex2 simplex; /* of a - b, with the vertices unshifted */
} ray_state2;

/*
 * Reduces the simplex to its feature nearest the ray's point; *toward leads from there to the
 * point. Returns true when the simplex contains the point.
 */
static bool reduce_about(ray_state2 *state, gjk_vec2 *toward) {
    gjk_simplex2 about = state->simplex;
    gjk_feature2 feature;
    for (uint32_t i = 0; i < about.count; i++) {
        about.vertex[i].w = gjk_sub2(about.vertex[i].w, state->point);
    }
    if (gjk_simplex2_find(&about, &feature)) {
        gjk_simplex2_find_surface(&about, &feature);
        gjk_simplex2_keep(&state->simplex, &feature);
        return true;
    }
    gjk_simplex2_keep(&state->simplex, &feature);
    gjk_simplex2_keep(&about, &feature);
    state->progress.distance = sqrt(feature.squared);
    *toward = gjk_neg2(gjk_simplex2_direction(&about, feature.nearest));
    return false;
}

static gjk_ray_solution answer(const ray_state2 *state, uint32_t iterations) {
    gjk_vec2 point_a, point_b;
    gjk_simplex2_points(&state->simplex, &point_a, &point_b);
    return (gjk_ray_solution){
        .hit = true,
        .iterations = iterations,
        .t = state->progress.t,
        .normal = gjk_xy0(state->normal),
        .point_a = gjk_xy0(point_a),
    };
}

gjk_ray_solution gjk_ray2(const gjk_frame2 *frame, const gjk_ray_goal *goal) {
    const gjk_vec2 direction = gjk_xy(goal->direction);
    ray_state2 state = {.progress = {.distance = INFINITY}, .normal = gjk_neg2(direction)};
    gjk_vec2 normal = frame->toward, toward;
    for (uint32_t i = 1; i <= goal->max_iterations; i++) {
        if (gjk_budget_spend(goal->budget, goal->steps) && i > 1) {
            break;
        }
        const double rounding = 4 * GJK_ROUNDING * (frame->scale + goal->radius + state.progress.t);
        gjk_vertex2 vertex = gjk_support2(frame, normal);
        const double gap = gjk_dot2(normal, gjk_sub2(state.point, vertex.w)) - goal->radius;
        const double rate = -gjk_dot2(normal, direction);
        const gjk_ray_step step = gjk_ray_advance(&state.progress, goal, gap, rate, rounding);
        if (step == GJK_RAY_MISSED) {
            return (gjk_ray_solution){.hit = false, .iterations = i};
        }
        const double before = step == GJK_RAY_MOVED ? INFINITY : state.progress.distance;
        if (step == GJK_RAY_MOVED) {
            state.point = gjk_scale2(state.progress.t, direction);
            state.normal = normal;
        }
        const bool repeated = gjk_simplex2_has(&state.simplex, &vertex);
        if (!repeated) {
            GJK_CHECK(state.simplex.count < 3);
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
