/*
 * Poses and motions between them. The rotation is stored as a matrix. The matrix of a quaternion q uses the factor 2 / (q .
 * q), which makes normalisation part of the formula: no square root and no separately rounded unit
 * quaternion. Entries are computed in double-double and rounded once, since every answer depends on
 * them.
 */

#include "gjk/pose.h"

#include "base/angle.h"
#include "base/double_double.h"
#include "base/numbers.h"
#include "gjk/motion.h"

/* Tolerance of a quaternion's length about 1, and the rounding of its computation. */
#define QUATERNION_SLACK 1e-3
#define QUATERNION_ROUNDING 1e-15

gjk_pose gjk_pose_identity(void) {
    return (gjk_pose){.rotation = gjk_mat3_identity()};
}

static gjk_status check_position(gjk_vec3 position) {
    const double values[3] = {position.x, position.y, position.z};
    size_t at;
    return gjk_check_coordinates(values, 3, &at);
}

gjk_status gjk_pose_make2(gjk_vec2 position, double angle, gjk_pose *out) {
    gjk_status status = check_position(gjk_xy0(position));
    if (status != GJK_OK) {
        return status;
    }
    if (!isfinite(angle)) {
        return GJK_NOT_FINITE;
    }
    double s, c;
    gjk_sincos(angle, &s, &c);
    *out = (gjk_pose){
        .position = gjk_xy0(position),
        .rotation = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}},
        .form = GJK_POSE_ANGLE,
        .turn.angle = angle,
    };
    return GJK_OK;
}

/* Returns p + q to about twice the digits of a double. */
static gjk_double_double sum_of(gjk_double_double p, gjk_double_double q) {
    gjk_double_double sum = gjk_two_sum(p.high, q.high);
    return (gjk_double_double){sum.high, sum.low + (p.low + q.low)};
}

/* The exact products of a quaternion's components. */
typedef struct products {
    gjk_double_double xx, yy, zz, ww, xy, xz, yz, xw, yw, zw;
} products;

static products products_of(gjk_quat q) {
    return (products){
        .xx = gjk_two_product(q.x, q.x),
        .yy = gjk_two_product(q.y, q.y),
        .zz = gjk_two_product(q.z, q.z),
        .ww = gjk_two_product(q.w, q.w),
        .xy = gjk_two_product(q.x, q.y),
        .xz = gjk_two_product(q.x, q.z),
        .yz = gjk_two_product(q.y, q.z),
        .xw = gjk_two_product(q.x, q.w),
        .yw = gjk_two_product(q.y, q.w),
        .zw = gjk_two_product(q.z, q.w),
    };
}

/* Returns 2 / (q . q) as a double-double. */
static gjk_double_double factor_of(const products *q) {
    gjk_double_double xy = sum_of(q->xx, q->yy), zw = sum_of(q->zz, q->ww);
    gjk_double_double square = gjk_two_sum(xy.high, zw.high);
    square.low += xy.low + zw.low;
    double high = 2.0 / square.high;
    gjk_double_double back = gjk_two_product(high, square.high);
    double rest = ((2.0 - back.high) - back.low) - high * square.low;
    return (gjk_double_double){high, rest / square.high};
}

/* Returns offset + factor * sum, rounded once. */
static double entry(double offset, gjk_double_double factor, gjk_double_double sum) {
    gjk_double_double product = gjk_two_product(factor.high, sum.high);
    gjk_double_double total = gjk_two_sum(offset, product.high);
    double rest = product.low + (factor.high * sum.low + factor.low * sum.high);
    return total.high + (total.low + rest);
}

gjk_status gjk_pose_make3(gjk_vec3 position, gjk_quat orientation, gjk_pose *out) {
    const gjk_quat q = orientation;
    gjk_status status = check_position(position);
    if (status != GJK_OK) {
        return status;
    }
    if (!isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) || !isfinite(q.w)) {
        return GJK_NOT_FINITE;
    }
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(fabs(sqrt(square) - 1.0) <= QUATERNION_SLACK + QUATERNION_ROUNDING)) {
        return GJK_BAD_ORIENTATION;
    }
    gjk_mat3 *r = &out->rotation;
    out->position = position;
    out->form = GJK_POSE_QUATERNION;
    out->turn.orientation = orientation;
    if (q.x == 0.0 && q.y == 0.0 && q.z == 0.0) {
        *r = gjk_mat3_identity(); /* equals the result of the sums below */
        return GJK_OK;
    }
    const products p = products_of(q);
    const gjk_double_double f = factor_of(&p), back = gjk_dd_neg(f);
    r->r0.x = entry(1.0, back, sum_of(p.yy, p.zz));
    r->r0.y = entry(0.0, f, sum_of(p.xy, gjk_dd_neg(p.zw)));
    r->r0.z = entry(0.0, f, sum_of(p.xz, p.yw));
    r->r1.x = entry(0.0, f, sum_of(p.xy, p.zw));
    r->r1.y = entry(1.0, back, sum_of(p.xx, p.zz));
    r->r1.z = entry(0.0, f, sum_of(p.yz, gjk_dd_neg(p.xw)));
    r->r2.x = entry(0.0, f, sum_of(p.xz, gjk_dd_neg(p.yw)));
    r->r2.y = entry(0.0, f, sum_of(p.yz, p.xw));
    r->r2.z = entry(1.0, back, sum_of(p.xx, p.yy));
    return GJK_OK;
}

gjk_pose gjk_pose_compose(const gjk_pose *outer, const gjk_pose *inner) {
    const gjk_mat3 *a = &outer->rotation, *b = &inner->rotation;
    const gjk_vec3 x = gjk_mul3(a, (gjk_vec3){b->r0.x, b->r1.x, b->r2.x});
    const gjk_vec3 y = gjk_mul3(a, (gjk_vec3){b->r0.y, b->r1.y, b->r2.y});
    const gjk_vec3 z = gjk_mul3(a, (gjk_vec3){b->r0.z, b->r1.z, b->r2.z});
    return (gjk_pose){
        .position = gjk_pose_apply(outer, inner->position),
        .rotation = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}},
    };
}

gjk_pose gjk_pose_relative(const gjk_pose *a, const gjk_pose *b) {
    return (gjk_pose){
        .position = gjk_mul3_transposed(&a->rotation, gjk_sub3(b->position, a->position)),
        .rotation = gjk_relative_rotation(&a->rotation, &b->rotation),
    };
}

gjk_vec3 gjk_pose_apply(const gjk_pose *pose, gjk_vec3 point) {
    return gjk_add3(gjk_mul3(&pose->rotation, point), pose->position);
}

/*
 * Rigid motions. The turn from one pose to another is that of angle.c, so that casts and
 * interpolation take the same way. The matrix of a partial turn comes from Rodrigues' formula with
 * half the angle, which does not cancel for small angles.
 */

gjk_rigid_motion gjk_rigid_motion_straight(gjk_vec3 translation) {
    return (gjk_rigid_motion){translation, {0.0, 0.0, 1.0}, 0.0};
}

gjk_rigid_motion gjk_rigid_motion_between(uint32_t dimension, const gjk_pose *from,
                                          const gjk_pose *to) {
    gjk_rigid_motion motion = gjk_rigid_motion_straight(gjk_sub3(to->position, from->position));
    if (gjk_same_rotation(&from->rotation, &to->rotation)) {
        return motion;
    }
    if (dimension == 2) {
        motion.angle = gjk_turn2(gjk_pose_angle(from), gjk_pose_angle(to));
        return motion;
    }
    const gjk_quat turn = gjk_turn3(gjk_pose_orientation(from), gjk_pose_orientation(to));
    const gjk_vec3 axis = {turn.x, turn.y, turn.z};
    const double sine = gjk_length3(axis);
    if (sine > 0.0) {
        motion.axis = gjk_scale3(1.0 / sine, axis);
        motion.angle = 2.0 * gjk_atan2(sine, fabs(turn.w));
    }
    return motion;
}

/* Returns the rotation about a unit axis. */
static gjk_mat3 rotation_about(gjk_vec3 axis, double angle) {
    double s, c;
    gjk_sincos(0.5 * angle, &s, &c);
    const double sine = 2.0 * s * c, rest = 2.0 * s * s; /* rest: 1 - cos(angle) */
    const gjk_vec3 u = gjk_scale3(sine, axis), w = gjk_scale3(rest, axis);
    return (gjk_mat3){
        {1.0 - (w.y * axis.y + w.z * axis.z), w.x * axis.y - u.z, w.x * axis.z + u.y},
        {w.y * axis.x + u.z, 1.0 - (w.x * axis.x + w.z * axis.z), w.y * axis.z - u.x},
        {w.z * axis.x - u.y, w.z * axis.y + u.x, 1.0 - (w.x * axis.x + w.y * axis.y)},
    };
}

gjk_pose gjk_rigid_motion_pose(const gjk_pose *from, const gjk_rigid_motion *motion,
                               double fraction) {
    const double angle = fraction * motion->angle;
    gjk_pose pose;
    if (angle != 0.0) {
        const gjk_pose turn = {.rotation = rotation_about(motion->axis, angle)};
        pose = gjk_pose_compose(&turn, from);
    } else {
        pose = *from;
    }
    if (fraction != 0.0) {
        pose.position = gjk_add3(from->position, gjk_scale3(fraction, motion->translation));
    }
    return pose;
}
