/*
 * Rays at any placed shape: gjk_detect decides if the origin is inside, then the GJK ray cast finds
 * the hit. The ray's origin is the second shape of the pair, so that the kernels cast a ray from
 * the frame's origin at a - b.
 */

#include "ray/general/general.h"

#include "base/numbers.h"
#include "pair/gjk/simplex.h"
#include "pair/gjk/stopping.h"
#include "ray/query_bounds.h"

/* Returns a point, the shape of the ray's origin. */
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
    if (solution.undecided) { /* the bounding box may exclude a hit, and bounds t from below */
        gjk_query_bounds query =
            gjk_query_bounds_of_ray(ray, shape->dimension, settings->tolerance);
        double from = gjk_query_bounds_sweep_key(&query, target, ray->max_distance);
        t = from > t ? from : t;
        solution.hit = solution.undecided = !isnan(from);
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
 * The GJK ray cast (van den Bergen, Ray Casting against General Convex Objects, 2004): GJK iterates
 * for the ray's current point; whenever a support plane separates the point from the shape, the
 * point advances to that plane. The distance to a convex shape is a convex function along the ray,
 * so the planes are steps of Newton's method from outside, and the point never passes the surface.
 * Deviations: plane normals are those of the nearest feature (see gjk3.c); a plane nearer than
 * rounding does not move the point, so that a grazing ray does not pass the shape.
 */

/* Longer than any distance to a shape: a plane that is reached later counts as never reached. */
#define FAR 1e200

/* Limits, in units of rounding, of the part of a - b beyond a supporting plane: in general, and for
 * a shape that is touched at the start, where the direction is inaccurate. */
#define CUT_MAX 0x1p10
#define CUT_AT_START_MAX 0x1p24

/* A cast from the frame's origin at a - b. In 2D all z are 0. */
typedef struct ray_cast {
    const gjk_frame2 *flat;  /* the frame in 2D, NULL in 3D */
    const gjk_frame3 *frame; /* the frame in 3D */
    const gjk_ray_goal *goal;
    bool curved;
    double t;        /* the ray does not touch before t */
    double slack;    /* bound of the distance along the ray by which rounding moved t too far */
    gjk_vec3 point;  /* t * direction */
    gjk_vec3 normal; /* normal of the plane that moved the point there */
    double distance; /* of the point from the simplex: an upper bound of its distance from a - b */
    uint32_t stalls;
    gjk_simplex2 simplex2; /* of a - b, with the vertices unshifted */
    gjk_simplex3 simplex3;
} ray_cast;

/* Finds the vertex *w of a - b farthest along a direction, and adds it to the simplex. Returns true
 * if the simplex has it already. */
static bool add_vertex(ray_cast *cast, gjk_vec3 direction, gjk_vec3 *w) {
    if (cast->flat != NULL) {
        const gjk_vertex2 vertex = gjk_support2(cast->flat, gjk_xy(direction));
        *w = gjk_xy0(vertex.w);
        if (gjk_simplex2_has(&cast->simplex2, &vertex)) {
            return true;
        }
        GJK_CHECK(cast->simplex2.count < 3);
        cast->simplex2.vertex[cast->simplex2.count++] = vertex;
        return false;
    }
    gjk_simplex3 *simplex = &cast->simplex3;
    gjk_vertex3 room, *vertex = simplex->count < 4 ? &simplex->vertex[simplex->count] : &room;
    gjk_support3_into(cast->frame, &direction, vertex);
    gjk_vec3_copy(&vertex->w, w);
    if (gjk_simplex3_has(simplex, vertex)) {
        return true;
    }
    GJK_CHECK(simplex->count < 4);
    simplex->count++;
    return false;
}

/* Reduces the simplex to the feature nearest the ray's point; *toward is the direction from the
 * feature to the point. Returns true if the simplex contains the point. */
static bool reduce2(ray_cast *cast, gjk_vec3 *toward) {
    gjk_simplex2 about = cast->simplex2;
    gjk_feature2 feature;
    for (uint32_t i = 0; i < about.count; i++) {
        about.vertex[i].w = gjk_sub2(about.vertex[i].w, gjk_xy(cast->point));
    }
    const bool contains = gjk_simplex2_find(&about, &feature);
    if (contains) {
        gjk_simplex2_find_surface(&about, &feature);
    }
    gjk_simplex2_keep(&cast->simplex2, &feature);
    if (!contains) {
        gjk_simplex2_keep(&about, &feature);
        cast->distance = sqrt(feature.squared);
        *toward = gjk_xy0(gjk_neg2(gjk_simplex2_direction(&about, feature.nearest)));
    }
    return contains;
}

/* The same in 3D. Only the vertices of the simplex about the ray's point are used. */
static bool reduce3(ray_cast *cast, gjk_vec3 *toward) {
    gjk_simplex3 about;
    gjk_feature3 feature;
    about.count = cast->simplex3.count;
    for (uint32_t i = 0; i < about.count; i++) {
        about.vertex[i].w = gjk_sub3(cast->simplex3.vertex[i].w, cast->point);
    }
    const bool contains = gjk_simplex3_find(&about, &feature);
    if (contains) {
        gjk_simplex3_find_surface(&about, &feature);
    }
    gjk_simplex3_keep(&cast->simplex3, &feature);
    if (!contains) {
        about.count = feature.count;
        for (uint32_t i = 0; i < about.count; i++) {
            about.vertex[i].w = about.vertex[feature.vertex[i]].w;
        }
        cast->distance = sqrt(feature.squared);
        *toward = gjk_neg3(gjk_simplex3_direction(&about, &feature));
    }
    return contains;
}

/* Returns the radius of a disc about the ray within the triangle's projection along the ray; at
 * most 0 if the ray passes beside it. u are the corners relative to a point of the ray. */
static double inside_triangle(const gjk_vec3 u[3], gjk_vec3 direction) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const gjk_vec3 edge = gjk_sub3(u[(i + 1) % 3], u[i]);
        const double off = gjk_dot3(direction, gjk_cross3(u[i], edge)) / gjk_length3(edge);
        low = gjk_smaller(low, off);
        high = gjk_larger(high, off);
    }
    return gjk_larger(low, -high);
}

/* Return the same for a - b, estimated from the final simplex and the radius. */
static double inside2(const ray_cast *cast) {
    const gjk_vec2 across = gjk_right2(gjk_xy(cast->goal->direction));
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < cast->simplex2.count; i++) {
        const gjk_vec2 u = gjk_sub2(cast->simplex2.vertex[i].w, gjk_xy(cast->point));
        low = gjk_smaller(low, gjk_dot2(across, u));
        high = gjk_larger(high, gjk_dot2(across, u));
    }
    return gjk_smaller(high, -low) + cast->goal->radius;
}

static double inside3(const ray_cast *cast, gjk_vec3 nearest) {
    const gjk_simplex3 *simplex = &cast->simplex3;
    const gjk_vec3 direction = cast->goal->direction, off = gjk_sub3(nearest, cast->point);
    const double beside = gjk_length3(gjk_cross3(off, direction));
    double inside = cast->goal->radius - beside;
    if (simplex->count == 3) {
        gjk_vec3 u[3];
        for (int i = 0; i < 3; i++) {
            u[i] = gjk_sub3(simplex->vertex[i].w, cast->point);
        }
        inside = gjk_larger(inside, inside_triangle(u, direction));
    }
    return inside;
}

static gjk_ray_solution end_cast(const ray_cast *cast, uint32_t iterations) {
    gjk_ray_solution solution = {.hit = true,
                                 .iterations = iterations,
                                 .t = cast->t,
                                 .normal = cast->normal};
    gjk_vec3 point_b;
    if (cast->flat != NULL) {
        gjk_vec2 on_a, on_b;
        gjk_simplex2_points(&cast->simplex2, &on_a, &on_b);
        solution.point_a = gjk_xy0(on_a);
        solution.inside = inside2(cast);
    } else {
        gjk_simplex3_points(&cast->simplex3, &solution.point_a, &point_b);
        solution.inside = inside3(cast, gjk_sub3(solution.point_a, point_b));
    }
    return solution;
}

typedef enum ray_step { RAY_MISSED, RAY_MOVED, RAY_STAYED } ray_step;

/* Moves the ray's point to a support plane at distance `gap`, which decreases by `rate` per length
 * of the ray. A plane within rounding does not move the point. The point moves back to a plane that
 * it passed within the slack of t. */
static ray_step advance(ray_cast *cast, gjk_vec3 normal, double gap, double rate, double rounding) {
    if (gap <= rounding) {
        return RAY_STAYED;
    }
    if (rate * FAR <= gap) {
        if (gap + cast->slack * rate > rounding) {
            return RAY_MISSED;
        }
        const double back = gjk_smaller(gap / -rate, cast->slack);
        cast->slack -= back;
        cast->t -= back;
    } else {
        const double t = cast->t + gap / rate, slack = rounding / rate;
        if (t - slack > cast->goal->reach) {
            return RAY_MISSED;
        }
        cast->slack = slack;
        cast->t = t;
        cast->normal = normal;
    }
    cast->point = gjk_scale3(cast->t, cast->goal->direction);
    return RAY_MOVED;
}

/*
 * Returns true if the last search direction is a better normal than that of the last plane. It
 * points from the core to the final point, but must also be a supporting direction; around a core
 * so thin that rounding turns it, it may not be. If no plane moved the point, the start is on the
 * surface within rounding, and a looser limit applies.
 */
static bool is_better_normal(const ray_cast *cast, double gap, double rate, double rounding) {
    const double close_enough =
        gjk_final_gap(cast->curved, CUT_MAX * rounding, cast->goal->tolerance);
    const bool supports = cast->goal->radius > rounding && gap >= -close_enough;
    const bool starts_there = cast->t == 0.0 && gap >= -CUT_AT_START_MAX * rounding;
    return rate > 0.0 && (supports || starts_there);
}

/* Runs the cast. `first` is the first search direction, `scale` that of the frame. */
static gjk_ray_solution cast_ray(ray_cast *cast, gjk_vec3 first, double scale) {
    const gjk_ray_goal *goal = cast->goal;
    gjk_vec3 normal = first, toward = {0, 0, 0}, w;
    cast->t = cast->slack = 0.0;
    cast->stalls = cast->simplex2.count = cast->simplex3.count = 0;
    cast->distance = INFINITY;
    cast->point = (gjk_vec3){0, 0, 0};
    cast->normal = gjk_neg3(goal->direction);
    for (uint32_t i = 1; i <= goal->max_iterations; i++) {
        if (gjk_budget_spend(goal->budget, goal->steps) && i > 1) {
            break;
        }
        const double rounding = 4 * GJK_ROUNDING * (scale + goal->radius + cast->t);
        const bool repeated = add_vertex(cast, normal, &w);
        const double gap = gjk_dot3(normal, gjk_sub3(cast->point, w)) - goal->radius;
        const double rate = -gjk_dot3(normal, goal->direction);
        if (i == 1 && goal->apart > 0.0 && !(gap > goal->apart)) {
            return (gjk_ray_solution){.unproven = true};
        }
        const ray_step step = advance(cast, normal, gap, rate, rounding);
        if (step == RAY_MISSED) {
            return (gjk_ray_solution){.hit = false, .iterations = i};
        }
        const double before = step == RAY_MOVED ? INFINITY : cast->distance;
        const bool contains = cast->flat != NULL ? reduce2(cast, &toward) : reduce3(cast, &toward);
        if (contains || cast->distance <= rounding) {
            return end_cast(cast, i);
        }
        /* Ends the cast if the point stays, and the vertex repeats or the distance stalls. */
        cast->stalls += cast->distance >= before;
        if (step == RAY_STAYED && (repeated || cast->stalls > GJK_STALLS_MAX)) {
            if (is_better_normal(cast, gap, rate, rounding)) {
                cast->normal = normal;
            }
            return end_cast(cast, i);
        }
        normal = toward;
    }
    gjk_ray_solution last = end_cast(cast, goal->max_iterations);
    last.undecided = cast->distance - goal->radius > goal->tolerance;
    return last;
}

gjk_ray_solution gjk_ray_at_pair(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_ray_goal *in_world, double *unit) {
    *unit = gjk_pair_unit(a, b);
    const gjk_ray_goal goal = {
        .direction = gjk_mul3_transposed(&a->pose.rotation, in_world->direction),
        .reach = in_world->reach * *unit,
        .radius = in_world->radius * *unit,
        .tolerance = in_world->tolerance * *unit,
        .apart = in_world->apart * *unit,
        .max_iterations = in_world->max_iterations,
        .steps = gjk_pair_steps(a->shape, b->shape),
        .budget = in_world->budget,
    };
    ray_cast cast;
    cast.goal = &goal;
    if (a->shape->dimension == 2) {
        const gjk_frame2 flat = gjk_frame2_make(a, b);
        cast.flat = &flat;
        cast.curved = flat.curved;
        return cast_ray(&cast, gjk_xy0(flat.toward), flat.scale);
    }
    const gjk_frame3 frame = gjk_frame3_make(a, b);
    cast.flat = NULL;
    cast.frame = &frame;
    cast.curved = frame.curved;
    return cast_ray(&cast, frame.toward, frame.scale);
}
