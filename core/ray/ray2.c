/*
 * Where does a ray from the origin first touch a - b, or the ball around it? The 2D
 * twin of ray3.c, where the method and its source are told.
 */

#include "ray/kernels.h"

#include "base/rounding.h"
#include "pair/simplex.h"

/* Steps that may leave the distance as it is: see gjk3.c. */
#define STALLS_MAX 4

/* No shape is as far as this; a plane that is met later is not met. */
#define FAR 1e200

/* How many times rounding a plane may cut off a shape that it is said to hold; and one that is
 * touched at the start, where little is left of a direction. */
#define HOLDS 0x1p10
#define NEARLY 0x1p24

typedef struct gjk_ray_state2 {
    double t;             /* no point of the ray before t touches */
    gjk_vec2 point;       /* t * direction */
    gjk_vec2 normal;      /* of the plane that moved it there */
    double slack;         /* how far past the surface rounding may have moved it, along the ray */
    gjk_simplex2 simplex; /* of a - b, vertices as they are */
    double distance;      /* of point from the simplex: an upper bound for a - b */
} gjk_ray_state2;

/* Moves the point up to the plane with that outward normal through the support vertex. */
static gjk_ray_step move(gjk_ray_state2 *state, const gjk_ray_goal *goal, gjk_vec2 normal,
                         const gjk_vertex2 *vertex, double rounding) {
    double gap = gjk_dot2(normal, gjk_sub2(state->point, vertex->w)) - goal->radius;
    double rate = -gjk_dot2(normal, gjk_xy(goal->direction));
    if (gap <= rounding) {
        return GJK_RAY_STAYED;
    }
    if (rate * FAR <= gap) { /* past it, unless a step back within the slack leads on it */
        return gap + state->slack * rate > rounding ? GJK_RAY_MISSED : GJK_RAY_STAYED;
    }
    double t = state->t + gap / rate, slack = rounding / rate;
    if (t - slack > goal->reach) {
        return GJK_RAY_MISSED;
    }
    state->slack = slack;
    state->t = t;
    state->point = gjk_scale2(state->t, gjk_xy(goal->direction));
    state->normal = normal;
    return GJK_RAY_MOVED;
}

/*
 * The last direction tried, from the core to the final point, is a better normal than that of the
 * last plane, if it holds the shape as well: around a core so thin that rounding turns the
 * direction it may not. Where no plane moved the point the start is as good as on the surface, and
 * what holds the shape nearly is all there is.
 */
static void settle(gjk_ray_state2 *state, const gjk_ray_goal *goal, gjk_vec2 normal,
                   const gjk_vertex2 *vertex, double rounding, double close_enough) {
    double gap = gjk_dot2(normal, gjk_sub2(state->point, vertex->w)) - goal->radius;
    bool against = gjk_dot2(normal, gjk_xy(goal->direction)) < 0.0;
    bool holds = goal->radius > rounding && gap >= -close_enough;
    if (against && (holds || (state->t == 0.0 && gap >= -NEARLY * rounding))) {
        state->normal = normal;
    }
}

/* Adds the vertex unless it is there. True when it was. */
static bool add_vertex(gjk_simplex2 *simplex, const gjk_vertex2 *vertex) {
    for (uint32_t i = 0; i < simplex->count; i++) {
        if (gjk_vertex2_same(&simplex->vertex[i], vertex)) {
            return true;
        }
    }
    simplex->vertex[simplex->count++] = *vertex;
    return false;
}

/*
 * Reduces the simplex to what is nearest the point; *toward leads from there to the
 * point. True when the simplex holds the point.
 */
static bool reduce_about(gjk_ray_state2 *state, gjk_vec2 *toward) {
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
    state->distance = sqrt(feature.squared);
    *toward = gjk_neg2(gjk_simplex2_direction(&about, feature.nearest));
    return false;
}

static gjk_ray_solution answer(const gjk_ray_state2 *state, uint32_t iterations) {
    gjk_vec2 point_a, point_b;
    gjk_simplex2_points(&state->simplex, &point_a, &point_b);
    return (gjk_ray_solution){
        .hit = true,
        .iterations = iterations,
        .t = state->t,
        .normal = gjk_xy0(state->normal),
        .point_a = gjk_xy0(point_a),
    };
}

gjk_ray_solution gjk_ray2(const gjk_frame2 *frame, const gjk_ray_goal *goal) {
    gjk_ray_state2 state = {.distance = INFINITY, .normal = gjk_neg2(gjk_xy(goal->direction))};
    gjk_vec2 normal = frame->toward, toward;
    uint32_t stalls = 0;
    for (uint32_t i = 1; i <= goal->max_iterations; i++) {
        const double rounding = 4 * GJK_ROUNDING * (frame->scale + goal->radius + state.t);
        gjk_vertex2 vertex = gjk_support2(frame, normal);
        gjk_ray_step step = move(&state, goal, normal, &vertex, rounding);
        if (step == GJK_RAY_MISSED) {
            return (gjk_ray_solution){.hit = false, .iterations = i};
        }
        double before = step == GJK_RAY_MOVED ? INFINITY : state.distance;
        bool repeated = add_vertex(&state.simplex, &vertex);
        if (reduce_about(&state, &toward) || state.distance <= rounding) {
            return answer(&state, i);
        }
        stalls += state.distance >= before;
        if (step == GJK_RAY_STAYED && (repeated || stalls > STALLS_MAX)) {
            settle(&state, goal, normal, &vertex, rounding,
                   gjk_close_enough(frame->curved, HOLDS * rounding, goal->tolerance));
            return answer(&state, i);
        }
        normal = toward;
    }
    gjk_ray_solution last = answer(&state, goal->max_iterations);
    last.undecided = state.distance - goal->radius > goal->tolerance;
    return last;
}
