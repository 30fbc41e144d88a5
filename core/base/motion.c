/*
 * Rigid motions. The turn from one pose to another is that of angle.c, so that casts and
 * interpolation take the same way. A rotation given only as a matrix becomes a quaternion by the
 * largest of its four components (Shepperd, Quaternion from Rotation Matrix, 1978). The matrix of a
 * partial turn comes from Rodrigues' formula with half the angle, which does not cancel for small
 * angles.
 */

#include "gjk/motion.h"

#include "base/angle.h"

gjk_rigid_motion gjk_rigid_motion_straight(gjk_vec3 translation) {
    return (gjk_rigid_motion){translation, {0.0, 0.0, 1.0}, 0.0};
}

/* Returns a quaternion of the rotation, of unit length within rounding. */
static gjk_quat quat_of_matrix(const gjk_mat3 *m) {
    const double x = m->r0.x, y = m->r1.y, z = m->r2.z, trace = x + y + z;
    gjk_quat q;
    if (trace >= x && trace >= y && trace >= z) {
        q = (gjk_quat){m->r2.y - m->r1.z, m->r0.z - m->r2.x, m->r1.x - m->r0.y, 1.0 + trace};
    } else if (x >= y && x >= z) {
        q = (gjk_quat){1.0 + x - y - z, m->r0.y + m->r1.x, m->r0.z + m->r2.x, m->r2.y - m->r1.z};
    } else if (y >= z) {
        q = (gjk_quat){m->r0.y + m->r1.x, 1.0 + y - x - z, m->r1.z + m->r2.y, m->r0.z - m->r2.x};
    } else {
        q = (gjk_quat){m->r0.z + m->r2.x, m->r1.z + m->r2.y, 1.0 + z - x - y, m->r1.x - m->r0.y};
    }
    const double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (gjk_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* Returns the rotation as given, or else computed from the matrix. */
static gjk_quat quat_of(const gjk_pose *pose) {
    return pose->form == GJK_POSE_QUATERNION ? pose->turn.orientation
                                             : quat_of_matrix(&pose->rotation);
}

static double angle_of(const gjk_pose *pose) {
    return pose->form == GJK_POSE_ANGLE ? pose->turn.angle
                                        : gjk_atan2(pose->rotation.r1.x, pose->rotation.r0.x);
}

gjk_rigid_motion gjk_rigid_motion_between(uint32_t dimension, const gjk_pose *from,
                                          const gjk_pose *to) {
    gjk_rigid_motion motion = gjk_rigid_motion_straight(gjk_sub3(to->position, from->position));
    if (gjk_same_rotation(&from->rotation, &to->rotation)) {
        return motion;
    }
    if (dimension == 2) {
        motion.angle = gjk_turn2(angle_of(from), angle_of(to));
        return motion;
    }
    const gjk_quat turn = gjk_turn3(quat_of(from), quat_of(to));
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
