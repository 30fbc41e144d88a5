#ifndef GJK_BASE_ANGLE_H
#define GJK_BASE_ANGLE_H

/* Angles of vectors, and interpolation of numbers and rotations; the same bits everywhere. */

#include "gjk/pose.h"

/* The angle in [-pi, pi] of the finite vector (x, y) from the x axis, counter-clockwise: what libm
 * calls atan2, zeros and signs of zeros included. Within 2 units in the last place where neither x
 * nor y is subnormal. */
double gjk_atan2(double y, double x);

/* Linear interpolation: a at t = 0, b at t = 1, never outside of the two, and monotone in t, which
 * lies in [0, 1]. Both at most GJK_COORDINATE_MAX in magnitude. */
double gjk_between(double a, double b, double t);

/*
 * The shortest turn from one rotation to another: the angle, at most a half turn (2D); a quaternion
 * of unit length, as the axis and the half of the angle tell it (3D). A half turn, exact within the
 * rounding of what was given, goes the positive way: counter-clockwise about z (2D); about that
 * axis of the two which has x > 0, or x = 0 and y > 0, or x = y = 0 and z > 0 (3D). Quaternions
 * need unit length within 1e-3 only.
 */
double gjk_turn2(double from, double to);
gjk_quat gjk_turn3(gjk_quat from, gjk_quat to);

/* The rotation at t in [0, 1] on that way, at constant speed. If both are the same rotation the
 * answer is `from`, to the bit; a quaternion has unit length within rounding. Accurate to about
 * 3e-16 radians, in 2D plus the rounding of the angles given. */
double gjk_slerp2(double from, double to, double t);
gjk_quat gjk_slerp3(gjk_quat from, gjk_quat to, double t);

#endif
