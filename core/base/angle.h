#ifndef GJK_BASE_ANGLE_H
#define GJK_BASE_ANGLE_H

/* Angles of vectors, and interpolation of numbers and rotations; the same bits everywhere. */

#include "gjk/pose.h"

/* Returns the angle in [-pi, pi] of the finite vector (x, y) from the x axis, counter-clockwise, as
 * libm's atan2 does, including signed zeros. Within 2 units in the last place if neither x nor y is
 * subnormal. */
double gjk_atan2(double y, double x);

/* Interpolates linearly: a at t = 0, b at t = 1, always between the two, and monotone in t in [0,
 * 1]. Both at most GJK_COORDINATE_MAX in magnitude. */
double gjk_between(double a, double b, double t);

/*
 * Return the shortest turn from one rotation to another: an angle of at most a half turn (2D); a
 * unit quaternion (axis and half angle, 3D). A half turn, exact within the rounding of the input,
 * is positive: counter-clockwise about z (2D); about the axis with x > 0, or x = 0 and y > 0, or x
 * = y = 0 and z > 0 (3D). The quaternions need unit length within 1e-3 only.
 */
double gjk_turn2(double from, double to);
gjk_quat gjk_turn3(gjk_quat from, gjk_quat to);

/* Return the rotation at t in [0, 1] of that turn, at constant speed. If both rotations are the
 * same, the answer is `from`, to the bit; a quaternion has unit length within rounding. Accurate to
 * about 3e-16 radians, in 2D plus the rounding of the angles. */
double gjk_slerp2(double from, double to, double t);
gjk_quat gjk_slerp3(gjk_quat from, gjk_quat to, double t);

/* Return the rotation of a pose (2D; 3D): as it was given, else computed from the matrix. */
double gjk_pose_angle(const gjk_pose *pose);
gjk_quat gjk_pose_orientation(const gjk_pose *pose);

#endif
