/*
 * The distance or penetration of two solids of revolution with parallel axes, by reduction to
 * 2D. Their difference is a solid of revolution too, and the point of such a solid nearest a
 * given point lies in the half plane through that point. So the profiles are compared in the
 * plane of both axes: rectangles, triangles, segments or points, by separating_axis2.c. A
 * depth that is the same all around, as of a shaft in its hub, is an ordinary case there,
 * while EPA does not converge on it.
 */

#include "pair/kernels.h"

#include "base/numbers.h"
#include "shape/convex/cloud.h"

/* A frustum in the frame of the pair. */
typedef struct frustum3 {
    gjk_vec3 base, axis; /* the centres of its circles: base and base + axis */
    double radius[2];
} frustum3;

/* The plane of both axes: from a's base, e across and u along them. */
typedef struct plane3 {
    gjk_vec3 origin, e, u;
    gjk_vec2 between; /* from a's base to b's */
} plane3;

/* A profile as a polygon, with the members that separating_axis2.c reads. */
typedef struct profile2 {
    _Alignas(64) double columns[5 * GJK_LANES];
    gjk_shape shape;
} profile2;

static bool set_frustum(const gjk_shape *shape, frustum3 *frustum) {
    const gjk_curve *curve = &shape->curve;
    frustum->radius[0] = frustum->radius[1] = 0.0;
    if (shape->count == 1 || shape->count == 2) {
        frustum->base = gjk_shape_point(shape, 0);
        frustum->axis = gjk_sub3(gjk_shape_point(shape, shape->count - 1), frustum->base);
        return true;
    }
    if (shape->type != GJK_CYLINDER && shape->type != GJK_CONE) {
        return false;
    }
    frustum->base = curve->a;
    frustum->axis = gjk_sub3(curve->b, curve->a);
    frustum->radius[0] = curve->radius;
    frustum->radius[1] = shape->type == GJK_CYLINDER ? curve->radius : 0.0;
    return true;
}

/* Scales both to the frame's unit and moves b into the frame. */
static void place_frustums(const gjk_frame3 *frame, frustum3 *a, frustum3 *b) {
    a->base = gjk_scale3(frame->unit, a->base);
    a->axis = gjk_scale3(frame->unit, a->axis);
    b->base = gjk_add3(gjk_mul3(&frame->rotation, b->base), frame->translation);
    b->axis = gjk_mul3(&frame->rotation, b->axis); /* the rotation includes the unit */
    for (int i = 0; i < 2; i++) {
        a->radius[i] *= frame->unit;
        b->radius[i] *= frame->unit;
    }
}

/* A unit vector perpendicular to u, in the plane of u and v unless v is nearly parallel to u. */
static gjk_vec3 across(gjk_vec3 u, gjk_vec3 v, double least) {
    for (int i = 0; i < 2; i++) { /* the second pass removes the rounding error of the first */
        v = gjk_sub3(v, gjk_scale3(gjk_dot3(v, u), u));
    }
    double length = gjk_length3(v);
    if (length > least) {
        return gjk_scale3(1.0 / length, v);
    }
    return gjk_perpendicular3(u);
}

static plane3 make_plane(const frustum3 *a, const frustum3 *b, double scale) {
    const double of_a = gjk_length3(a->axis), of_b = gjk_length3(b->axis);
    plane3 plane;
    plane.u = of_a >= of_b ? gjk_scale3(1.0 / of_a, a->axis) : gjk_scale3(1.0 / of_b, b->axis);
    gjk_vec3 between = gjk_sub3(b->base, a->base);
    plane.origin = a->base;
    plane.e = across(plane.u, between, 0.25 * GJK_ROUNDING * scale);
    plane.between = (gjk_vec2){gjk_dot3(between, plane.e), gjk_dot3(between, plane.u)};
    return plane;
}

/* The profile, counter-clockwise and without duplicate corners. */
static void set_profile(const frustum3 *frustum, gjk_vec3 u, profile2 *profile) {
    const double height = gjk_dot3(frustum->axis, u);
    const int low = height < 0.0;
    const double level[2] = {gjk_smaller(height, 0.0), gjk_larger(height, 0.0)};
    gjk_vec2 corner[4];
    uint32_t count = 0;
    for (int i = 0; i < (height == 0.0 ? 1 : 2); i++) {
        double radius = frustum->radius[i ^ low], sign = i == 0 ? -1.0 : 1.0;
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
    frustum3 a, b;
    profile2 of_a, of_b;
    if (!frame->curved || !set_frustum(frame->a, &a) || !set_frustum(frame->b, &b)) {
        return false;
    }
    place_frustums(frame, &a, &b);
    /* Without a square root, because most pairs are not parallel. An axis of length 0 is parallel
     * to all others, but two of them have no plane. */
    const gjk_vec3 cross = gjk_cross3(a.axis, b.axis);
    const double square_a = gjk_dot3(a.axis, a.axis), square_b = gjk_dot3(b.axis, b.axis);
    const double limit = GJK_ROUNDING * GJK_ROUNDING * square_a * square_b;
    if (!(gjk_dot3(cross, cross) <= limit && square_a + square_b > 0.0)) {
        return false;
    }
    const plane3 plane = make_plane(&a, &b, frame->scale);
    set_profile(&a, plane.u, &of_a);
    set_profile(&b, plane.u, &of_b);
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
