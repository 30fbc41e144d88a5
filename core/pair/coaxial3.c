/*
 * How far apart or how deep inside each other are two shapes that stand upright beside or in
 * each other? Each is a profile turned around its axis; where the axes are parallel, the
 * difference of the two is a body turned around one axis as well, and of such a body the point
 * nearest to another lies in the half plane of that point. So the question is about the
 * profiles, in the plane of both axes: a rectangle, a triangle, a segment or a point, which
 * separating_axis2.c answers. What has the same depth all around, as a shaft in its hub, is an ordinary
 * case there, while no polytope with flat faces comes to an end on it.
 */

#include "pair/kernels.h"

#include "base/larger.h"
#include "base/rounding.h"
#include "shape/cloud.h"

/* A frustum in the frame: its circles around `foot` and around foot + way. */
typedef struct pillar3 {
    gjk_vec3 foot, way;
    double wide[2];
} pillar3;

/* The plane of both axes: from a's foot, e across and u along them. */
typedef struct plane3 {
    gjk_vec3 origin, e, u;
    gjk_vec2 between; /* from a's foot to b's */
} plane3;

/* A profile as a polygon, with what separating_axis2.c reads of one. */
typedef struct profile2 {
    _Alignas(64) double columns[5 * GJK_LANES];
    gjk_shape shape;
} profile2;

static bool set_pillar(const gjk_shape *shape, pillar3 *pillar) {
    const gjk_curve *curve = &shape->curve;
    pillar->wide[0] = pillar->wide[1] = 0.0;
    if (shape->count == 1 || shape->count == 2) {
        pillar->foot = gjk_shape_point(shape, 0);
        pillar->way = gjk_sub3(gjk_shape_point(shape, shape->count - 1), pillar->foot);
        return true;
    }
    if (shape->type != GJK_CYLINDER && shape->type != GJK_CONE) {
        return false;
    }
    pillar->foot = curve->a;
    pillar->way = gjk_sub3(curve->b, curve->a);
    pillar->wide[0] = curve->radius;
    pillar->wide[1] = shape->type == GJK_CYLINDER ? curve->radius : 0.0;
    return true;
}

/* To the frame's unit; b also turned and moved. */
static void place(const gjk_frame3 *frame, pillar3 *a, pillar3 *b) {
    a->foot = gjk_scale3(frame->unit, a->foot);
    a->way = gjk_scale3(frame->unit, a->way);
    b->foot = gjk_add3(gjk_mul3(&frame->rotation, b->foot), frame->translation);
    b->way = gjk_mul3(&frame->rotation, b->way); /* which holds the unit */
    for (int i = 0; i < 2; i++) {
        a->wide[i] *= frame->unit;
        b->wide[i] *= frame->unit;
    }
}

/* A unit vector across u, along v where that has such a part. */
static gjk_vec3 across(gjk_vec3 u, gjk_vec3 v, double least) {
    for (int i = 0; i < 2; i++) { /* once leaves a rest of rounding, twice does not */
        v = gjk_sub3(v, gjk_scale3(gjk_dot3(v, u), u));
    }
    double length = gjk_length3(v);
    if (length > least) {
        return gjk_scale3(1.0 / length, v);
    }
    double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    gjk_vec3 axis = {x <= y && x <= z, !(x <= y && x <= z) && y <= z, 0.0};
    axis.z = axis.x + axis.y == 0.0;
    gjk_vec3 n = gjk_cross3(u, axis);
    return gjk_scale3(1.0 / gjk_length3(n), n);
}

/* Without a root: most pairs are not. A point, or what is short beyond doubt, is parallel to all;
 * two of them have no plane. */
static bool are_parallel(const pillar3 *a, const pillar3 *b) {
    const double of_a = gjk_dot3(a->way, a->way), of_b = gjk_dot3(b->way, b->way);
    gjk_vec3 askew = gjk_cross3(a->way, b->way);
    return gjk_dot3(askew, askew) <= GJK_ROUNDING * GJK_ROUNDING * of_a * of_b && of_a + of_b > 0.0;
}

static plane3 make_plane(const pillar3 *a, const pillar3 *b, double scale) {
    const double of_a = gjk_length3(a->way), of_b = gjk_length3(b->way);
    plane3 plane;
    plane.u = of_a >= of_b ? gjk_scale3(1.0 / of_a, a->way) : gjk_scale3(1.0 / of_b, b->way);
    gjk_vec3 between = gjk_sub3(b->foot, a->foot);
    plane.origin = a->foot;
    plane.e = across(plane.u, between, 0.25 * GJK_ROUNDING * scale);
    plane.between = (gjk_vec2){gjk_dot3(between, plane.e), gjk_dot3(between, plane.u)};
    return plane;
}

/* Counter-clockwise, without points that coincide. */
static void set_profile(const pillar3 *pillar, gjk_vec3 u, profile2 *profile) {
    const double height = gjk_dot3(pillar->way, u);
    const int low = height < 0.0;
    const double level[2] = {gjk_smaller(height, 0.0), gjk_larger(height, 0.0)};
    gjk_vec2 corner[4];
    uint32_t count = 0;
    for (int i = 0; i < (height == 0.0 ? 1 : 2); i++) {
        double wide = pillar->wide[i ^ low], sign = i == 0 ? -1.0 : 1.0;
        corner[count++] = (gjk_vec2){sign * wide, level[i]};
        if (wide > 0.0) {
            corner[count++] = (gjk_vec2){-sign * wide, level[i]};
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
    pillar3 a, b;
    profile2 of_a, of_b;
    if (!frame->curved || !set_pillar(frame->a, &a) || !set_pillar(frame->b, &b)) {
        return false;
    }
    place(frame, &a, &b);
    if (!are_parallel(&a, &b)) {
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
