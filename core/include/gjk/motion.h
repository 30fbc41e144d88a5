#ifndef GJK_MOTION_H
#define GJK_MOTION_H

/* A motion from one pose to another: the shape's own origin moves along a straight line while the
 * shape turns about it at a constant rate. */

#include "gjk/pose.h"

GJK_BEGIN

typedef struct gjk_rigid_motion {
    gjk_vec3 translation; /* of the own origin, in the world */
    gjk_vec3 axis;        /* of the rotation; unit, in the world; (0, 0, 1) in 2D */
    double angle; /* turned in all about the axis, right-handed, any finite number of radians */
} gjk_rigid_motion;

/* A motion without a turn. */
gjk_rigid_motion gjk_rigid_motion_straight(gjk_vec3 translation);

/*
 * The motion to another pose by the shortest arc. A half turn, exact within rounding, is positive:
 * in 2D counter-clockwise, in 3D about that axis of the two whose first component that is not zero
 * is positive: the way that what is interpolated goes. Both poses are of that dimension. The angle
 * lies in [0, pi] in 3D, within rounding in (-pi, pi] in 2D.
 */
gjk_rigid_motion gjk_rigid_motion_between(uint32_t dimension, const gjk_pose *from,
                                          const gjk_pose *to);

/* Returns the pose that `from` has become after a fraction of the motion; `from`, to the bit,
 * at 0. */
gjk_pose gjk_rigid_motion_pose(const gjk_pose *from, const gjk_rigid_motion *motion,
                               double fraction);

GJK_END

#endif
