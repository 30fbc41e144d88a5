/*
 * Distance or penetration of two solids of revolution with parallel axes, by reduction to 2D. Their
 * difference is a solid of revolution too, and the point of such a solid nearest a given point lies
 * in the half plane through that point. So the profiles are compared in the plane of both axes:
 * rectangles, triangles, segments or points, by separating_axis2.c. A depth that is constant all
 * around, as of a shaft in its hub, is an ordinary case there, while EPA does not converge on it.
 */

#include "pair/kernels.h"

#include "base/numbers.h"
#include "pair/direct/round.h"
#include "shape/convex/cloud.h"

/* The plane of both axes: origin at a's base, e across the axes and u along them. */
typedef struct plane3 {
    gjk_vec3 origin, e, u;
    gjk_vec2 between; /* from a's base to b's base */
} plane3;

/* A profile as a polygon, with the members that separating_axis2.c reads. */
typedef struct profile2 {
    _Alignas(64) double columns[5 * GJK_LANES];
    gjk_shape shape;
} profile2;

/* Returns a unit vector perpendicular to u, in the plane of u and v unless v is nearly parallel to
 * u. */
static gjk_vec3 across(gjk_vec3 u, gjk_vec3 v, double least) {
    for (int i = 0; i < 2; i++) { /* the second pass removes the first's rounding error */
        v = gjk_sub3(v, gjk_scale3(gjk_dot3(v, u), u));
    }
    double length = gjk_length3(v);
    if (length > least) {
        return gjk_scale3(1.0 / length, v);
    }
    return gjk_perpendicular3(u);
}

static plane3 make_plane(const gjk_round_body *a, const gjk_round_body *b, double scale) {
    const double of_a = gjk_length3(a->line), of_b = gjk_length3(b->line);
    plane3 plane;
    plane.u = of_a >= of_b ? gjk_scale3(1.0 / of_a, a->line) : gjk_scale3(1.0 / of_b, b->line);
    gjk_vec3 between = gjk_sub3(b->center[0], a->center[0]);
    plane.origin = a->center[0];
    plane.e = across(plane.u, between, 0.25 * GJK_ROUNDING * scale);
    plane.between = (gjk_vec2){gjk_dot3(between, plane.e), gjk_dot3(between, plane.u)};
    return plane;
}

/* Sets the profile, counter-clockwise and without duplicate corners. */
static void set_profile(const gjk_round_body *body, gjk_vec3 u, profile2 *profile) {
    const double height = gjk_dot3(body->line, u);
    const int low = height < 0.0;
    const double level[2] = {gjk_smaller(height, 0.0), gjk_larger(height, 0.0)};
    gjk_vec2 corner[4];
    uint32_t count = 0;
    for (int i = 0; i < (height == 0.0 ? 1 : 2); i++) {
        double radius = body->radius[i ^ low], sign = i == 0 ? -1.0 : 1.0;
        corner[count++] = (gjk_vec2){sign * radius, level[i]};
        if (radius > 0.0) {
            corner[count++] = (gjk_vec2){-sign * radius, level[i]};
        }
    }
    for (uint32_t i = 0; i < GJK_LANES; i++) {
        profile->columns[i] = corner[i < count ? i : 0].x + 0.0;
        profile->columns[GJK_LANES + i] = corner[i < count ? i : 0].y;
    }
    profile->shape.type = GJK_POLYGON;
    profile->shape.dimension = 2;
    profile->shape.count = count;
    profile->shape.stride = GJK_LANES;
    profile->shape.column_count = count > 1 ? 5 : 2;
    profile->shape.columns = profile->columns;
    profile->shape.offset = (gjk_vec3){0, 0, 0};
    if (count > 1) {
        gjk_edges_fill(&profile->shape, profile->columns);
    }
}

static gjk_vec3 lift(const plane3 *plane, gjk_vec3 p) {
    return gjk_add3(gjk_scale3(p.x, plane->e), gjk_scale3(p.y, plane->u));
}

static gjk_vec3 lift_point(const plane3 *plane, gjk_vec3 p) {
    return gjk_add3(plane->origin, lift(plane, p));
}

bool gjk_coaxial3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution) {
    gjk_round_pair placed;
    profile2 of_a, of_b;
    if (frame->round == NULL && !gjk_round_pair_place(frame, &placed)) {
        return false;
    }
    const gjk_round_pair *pair = frame->round != NULL ? frame->round : &placed;
    const gjk_round_body *a = &pair->body[0], *b = &pair->body[1];
    /* An axis of length 0 is parallel to all others, but two such axes have no plane. */
    if (!gjk_round_is_parallel(pair) ||
        !(gjk_dot3(a->line, a->line) + gjk_dot3(b->line, b->line) > 0.0)) {
        return false;
    }
    const plane3 plane = make_plane(a, b, frame->scale);
    set_profile(a, plane.u, &of_a);
    set_profile(b, plane.u, &of_b);
    const gjk_frame2 flat = {
        .a = &of_a.shape,
        .b = &of_b.shape,
        .row0 = {1, 0},
        .row1 = {0, 1},
        .translation = plane.between,
        .unit = 1.0,
        .scale = frame->scale,
    };
    bool solved = gjk_separating_axis2(&flat, goal, solution);
    solution->normal = lift(&plane, solution->normal);
    if (solution->has_points) {
        solution->point_a = lift_point(&plane, solution->point_a);
        solution->point_b = lift_point(&plane, solution->point_b);
    }
    return solved;
}
