#ifndef GJK_BASE_SLERP_H
#define GJK_BASE_SLERP_H

#include "gjk/body.h"

/*
 * The value at t in [0, 1] on the way from a to b: a at 0, b at 1, never outside of the two, and
 * never going back as t grows. Both at most GJK_COORDINATE_MAX in magnitude.
 */
double gjk_between(double a, double b, double t);

/*
 * The turn at t in [0, 1] on the shortest way from one to the other, at constant speed. A half
 * turn, exact within the rounding of what was given, goes the positive way: counter-clockwise
 * about z (2D); about the axis, of the two, that has z > 0, or z = 0 and y > 0, or z = y = 0
 * and x > 0 (3D). Where both say the same rotation the answer is `from`, to the bit. Quaternions
 * need unit length within 1e-3 only; the answer has it within rounding. About 3e-16 radians,
 * in 2D plus the rounding of the angles given.
 */
gjk_rotation gjk_slerp2(gjk_rotation from, gjk_rotation to, double t);
gjk_rotation gjk_slerp3(gjk_rotation from, gjk_rotation to, double t);

/* Where a body stands, and how it is turned, at alpha in [0, 1) on its way to `next`, which is not
 * a jump: see gjk_snapshot_pose. */
gjk_pose gjk_pose_on_way(const gjk_body *from, const gjk_body *next, double alpha,
                         gjk_rotation *turn);

#endif
