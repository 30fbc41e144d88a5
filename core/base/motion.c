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
