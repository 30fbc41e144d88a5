/*
 * Poses in double-double. A quaternion q turns v without a matrix: with t = q x v + w v and |q|^2
 * divided out, v becomes v + 2 q x t / |q|^2 (Rodrigues 1840). No part of the rotation is rounded
 * before the last step.
 */

#include "base/wide.h"

/* A vector of double-doubles, by components. */
typedef struct wide {
    gjk_double_double x, y, z;
} wide;

static wide wide_of(gjk_wide3 v) {
    return (wide){{v.high.x, v.low.x}, {v.high.y, v.low.y}, {v.high.z, v.low.z}};
}

static wide sum(wide a, wide b) {
    return (wide){gjk_dd_add(a.x, b.x), gjk_dd_add(a.y, b.y), gjk_dd_add(a.z, b.z)};
}

/* Returns a u + b v. */
static gjk_double_double combine(double a, gjk_double_double u, double b, gjk_double_double v) {
    return gjk_dd_add(gjk_dd_scale(a, u), gjk_dd_scale(b, v));
}

static wide cross(gjk_quat q, wide v) {
    return (wide){combine(q.y, v.z, -q.z, v.y), combine(q.z, v.x, -q.x, v.z),
                  combine(q.x, v.y, -q.y, v.x)};
}

static wide turn_by_quaternion(gjk_quat q, wide v) {
    const gjk_double_double square =
        gjk_dd_add(gjk_dd_add(gjk_two_product(q.x, q.x), gjk_two_product(q.y, q.y)),
                   gjk_dd_add(gjk_two_product(q.z, q.z), gjk_two_product(q.w, q.w)));
    const double high = 2.0 / square.high;
    const gjk_double_double back = gjk_dd_scale(high, square);
    /* 2 / (q . q) */
    const gjk_double_double f = gjk_dd_make(high, ((2.0 - back.high) - back.low) / square.high);
    wide t = cross(q, v);
    t = sum(t, (wide){gjk_dd_scale(q.w, v.x), gjk_dd_scale(q.w, v.y), gjk_dd_scale(q.w, v.z)});
    t = cross(q, t);
    return sum(v, (wide){gjk_dd_mul(f, t.x), gjk_dd_mul(f, t.y), gjk_dd_mul(f, t.z)});
}

static gjk_double_double wide_along(gjk_vec3 row, wide v) {
    return gjk_dd_add(combine(row.x, v.x, row.y, v.y), gjk_dd_scale(row.z, v.z));
}

static wide turned(const gjk_pose *pose, wide v) {
    if (pose->form == GJK_POSE_QUATERNION) {
        return turn_by_quaternion(pose->turn.orientation, v);
    }
    if (pose->form == GJK_POSE_ANGLE) {
        gjk_double_double s, c;
        gjk_sincos_wide(pose->turn.angle, &s, &c);
        return (wide){gjk_dd_add(gjk_dd_mul(c, v.x), gjk_dd_neg(gjk_dd_mul(s, v.y))),
                      gjk_dd_add(gjk_dd_mul(s, v.x), gjk_dd_mul(c, v.y)), v.z};
    }
    const gjk_mat3 *r = &pose->rotation;
    return (wide){wide_along(r->r0, v), wide_along(r->r1, v), wide_along(r->r2, v)};
}

/* Checks the given angle or quaternion as well as the matrix, so the answer is exact. */
bool gjk_pose_is_unturned(const gjk_pose *pose) {
    const gjk_mat3 identity = gjk_mat3_identity();
    return gjk_same_rotation(&pose->rotation, &identity) &&
           (pose->form != GJK_POSE_ANGLE || pose->turn.angle == 0.0) &&
           (pose->form != GJK_POSE_QUATERNION ||
            (pose->turn.orientation.x == 0.0 && pose->turn.orientation.y == 0.0 &&
             pose->turn.orientation.z == 0.0));
}

gjk_wide3 gjk_pose_apply_wide(const gjk_pose *pose, gjk_wide3 point) {
    const gjk_vec3 none = {0, 0, 0};
    const gjk_wide3 position = {pose->position, pose->form == GJK_POSE_REST ? pose->rest : none};
    wide v = wide_of(point);
    v = sum(gjk_pose_is_unturned(pose) ? v : turned(pose, v), wide_of(position));
    return (gjk_wide3){{v.x.high, v.y.high, v.z.high}, {v.x.low, v.y.low, v.z.low}};
}

static double rounded(gjk_double_double a) {
    return a.high + a.low;
}

gjk_vec3 gjk_wide3_add(gjk_wide3 a, gjk_vec3 b) {
    const wide v = sum(wide_of(a), wide_of(gjk_wide3_of(b)));
    return (gjk_vec3){rounded(v.x), rounded(v.y), rounded(v.z)};
}

gjk_vec3 gjk_wide3_sub(gjk_wide3 a, gjk_wide3 b) {
    const wide back = wide_of((gjk_wide3){gjk_neg3(b.high), gjk_neg3(b.low)});
    const wide v = sum(wide_of(a), back);
    return (gjk_vec3){rounded(v.x), rounded(v.y), rounded(v.z)};
}
