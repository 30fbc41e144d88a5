/*
 * Where does a ray from the origin first touch a - b, or the ball around it? The
 * GJK ray cast (van den Bergen, Ray Casting against General Convex Objects, 2004):
 * iterate GJK for the ray's current point; whenever a support plane separates the
 * point from the shape, move the point up to that plane. The distance to a convex
 * shape is a convex function along the ray, so the planes are Newton steps from
 * outside: the point never passes the surface. Deviations: plane normals are those
 * of the nearest feature (see gjk3.c); a plane nearer than rounding moves nothing,
 * so a grazing ray is not thrown past what it grazes.
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

typedef struct gjk_ray_state3 {
    double t;             /* no point of the ray before t touches */
    gjk_vec3 point;       /* t * direction */
    gjk_vec3 normal;      /* of the plane that moved it there */
    double slack;         /* how far past the surface rounding may have moved it, along the ray */
    gjk_simplex3 simplex; /* of a - b, vertices as they are */
    double distance;      /* of point from the simplex: an upper bound for a - b */
} gjk_ray_state3;

/* Moves the point up to the plane with that outward normal through the support vertex. */
static gjk_ray_step move(gjk_ray_state3 *state, const gjk_ray_goal *goal, gjk_vec3 normal,
                         const gjk_vertex3 *vertex, double rounding) {
    double gap = gjk_dot3(normal, gjk_sub3(state->point, vertex->w)) - goal->radius;
    double rate = -gjk_dot3(normal, goal->direction);
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
    state->point = gjk_scale3(state->t, goal->direction);
    state->normal = normal;
    return GJK_RAY_MOVED;
}

/*
 * The last direction tried, from the core to the final point, is a better normal than that of the
 * last plane, if it holds the shape as well: around a core so thin that rounding turns the
 * direction it may not. Where no plane moved the point the start is as good as on the surface, and
 * what holds the shape nearly is all there is.
 */
static void settle(gjk_ray_state3 *state, const gjk_ray_goal *goal, gjk_vec3 normal,
                   const gjk_vertex3 *vertex, double rounding, double close_enough) {
    double gap = gjk_dot3(normal, gjk_sub3(state->point, vertex->w)) - goal->radius;
    bool against = gjk_dot3(normal, goal->direction) < 0.0;
    bool holds = goal->radius > rounding && gap >= -close_enough;
    if (against && (holds || (state->t == 0.0 && gap >= -NEARLY * rounding))) {
        state->normal = normal;
    }
}

/* Adds the vertex unless it is there. True when it was. */
static bool add_vertex(gjk_simplex3 *simplex, const gjk_vertex3 *vertex) {
    for (uint32_t i = 0; i < simplex->count; i++) {
        if (gjk_vertex3_same(&simplex->vertex[i], vertex)) {
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
static bool reduce_about(gjk_ray_state3 *state, gjk_vec3 *toward) {
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
    state->distance = sqrt(feature.squared);
    *toward = gjk_neg3(gjk_simplex3_direction(&about, &feature));
    return false;
}

static gjk_ray_solution answer(const gjk_ray_state3 *state, uint32_t iterations) {
    gjk_vec3 point_a, point_b;
    gjk_simplex3_points(&state->simplex, &point_a, &point_b);
    return (gjk_ray_solution){
        .hit = true,
        .iterations = iterations,
        .t = state->t,
        .normal = state->normal,
        .point_a = point_a,
    };
}

gjk_ray_solution gjk_ray3(const gjk_frame3 *frame, const gjk_ray_goal *goal) {
    gjk_ray_state3 state = {.distance = INFINITY, .normal = gjk_neg3(goal->direction)};
    gjk_vec3 normal = frame->toward, toward;
    uint32_t stalls = 0;
    for (uint32_t i = 1; i <= goal->max_iterations; i++) {
        const double rounding = 4 * GJK_ROUNDING * (frame->scale + goal->radius + state.t);
        gjk_vertex3 vertex = gjk_support3(frame, normal);
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
