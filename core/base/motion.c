/*
 * Motions. The turn from one pose to another is found as the quaternion of the matrix that leads from
 * the one to the other, by the largest of its four components (Shepperd, Quaternion from Rotation
 * Matrix, 1978); the matrix of a part of the turn by Rodrigues' formula with half the angle, which
 * does not cancel for small ones.
 */

#include "gjk/motion.h"

#include "base/angle.h"

/* The cosine of half the angle, or a component of an axis, that counts as zero: a few roundings of
 * products of matrices. */
#define ROUNDING 0x1p-48

gjk_rigid_motion gjk_rigid_motion_straight(gjk_vec3 translation) {
    return (gjk_rigid_motion){translation, {0.0, 0.0, 1.0}, 0.0};
}

/* The rotation that leads from the one to the other: to times the transpose of from. */
static gjk_mat3 turn_between(const gjk_mat3 *from, const gjk_mat3 *to) {
    const gjk_mat3 *p = from, *q = to;
    return (gjk_mat3){{gjk_dot3(q->r0, p->r0), gjk_dot3(q->r0, p->r1), gjk_dot3(q->r0, p->r2)},
                      {gjk_dot3(q->r1, p->r0), gjk_dot3(q->r1, p->r1), gjk_dot3(q->r1, p->r2)},
                      {gjk_dot3(q->r2, p->r0), gjk_dot3(q->r2, p->r1), gjk_dot3(q->r2, p->r2)}};
}

/* A quaternion of the rotation, of any length. */
static gjk_quat quat_of(const gjk_mat3 *m) {
    const double x = m->r0.x, y = m->r1.y, z = m->r2.z, trace = x + y + z;
    if (trace >= x && trace >= y && trace >= z) {
        return (gjk_quat){m->r2.y - m->r1.z, m->r0.z - m->r2.x, m->r1.x - m->r0.y, 1.0 + trace};
    }
    if (x >= y && x >= z) {
        return (gjk_quat){1.0 + x - y - z, m->r0.y + m->r1.x, m->r0.z + m->r2.x, m->r2.y - m->r1.z};
    }
    if (y >= z) {
        return (gjk_quat){m->r0.y + m->r1.x, 1.0 + y - x - z, m->r1.z + m->r2.y, m->r0.z - m->r2.x};
    }
    return (gjk_quat){m->r0.z + m->r2.x, m->r1.z + m->r2.y, 1.0 + z - x - y, m->r1.x - m->r0.y};
}

static bool is_positive(gjk_vec3 axis) {
    if (fabs(axis.x) > ROUNDING) {
        return axis.x > 0.0;
    }
    return fabs(axis.y) > ROUNDING ? axis.y > 0.0 : axis.z > 0.0;
}

static void set_turn3(const gjk_mat3 *turn, gjk_rigid_motion *out) {
    gjk_quat q = quat_of(turn);
    gjk_vec3 axis = {q.x, q.y, q.z};
    const double sine = gjk_length3(axis);
    if (!(sine > 0.0)) {
        return;
    }
    axis = gjk_scale3(1.0 / sine, axis);
    const bool is_half = fabs(q.w) <= ROUNDING * sine;
    if (is_half ? !is_positive(axis) : q.w < 0.0) {
        axis = gjk_neg3(axis);
    }
    out->axis = axis;
    out->angle = 2.0 * gjk_atan2(sine, fabs(q.w));
}

gjk_rigid_motion gjk_rigid_motion_between(uint32_t dimension, const gjk_pose *from,
                                          const gjk_pose *to) {
    gjk_rigid_motion motion = gjk_rigid_motion_straight(gjk_sub3(to->position, from->position));
    if (gjk_same_rotation(&from->rotation, &to->rotation)) {
        return motion;
    }
    const gjk_mat3 turn = turn_between(&from->rotation, &to->rotation);
    if (dimension == 3) {
        set_turn3(&turn, &motion);
        return motion;
    }
    const double sine = turn.r1.x, cosine = turn.r0.x;
    const bool is_half = cosine < 0.0 && fabs(sine) <= ROUNDING;
    motion.angle = gjk_atan2(is_half ? fabs(sine) : sine, cosine);
    return motion;
}

/* The rotation about a unit axis. */
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
    gjk_pose pose = *from;
    if (fraction == 0.0) {
        return pose;
    }
    const double angle = fraction * motion->angle;
    if (angle != 0.0) {
        const gjk_pose turn = {.rotation = rotation_about(motion->axis, angle)};
        pose = gjk_pose_compose(&turn, &(gjk_pose){.rotation = from->rotation});
    }
    pose.position = gjk_add3(from->position, gjk_scale3(fraction, motion->translation));
    return pose;
}
