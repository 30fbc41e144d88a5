#ifndef GJK_MOTION_H
#define GJK_MOTION_H

/* A motion from one pose to another: the shape's own origin moves along a straight line while the
 * shape turns about it at a constant rate. */

#include "gjk/pose.h"

GJK_BEGIN

typedef struct gjk_rigid_motion {
    gjk_vec3 translation; /* of the shape's own origin, in the world */
    gjk_vec3 axis;        /* rotation axis: unit, in the world; (0, 0, 1) in 2D */
    double angle; /* total rotation about the axis in radians, right-handed, any finite number */
} gjk_rigid_motion;

/* Returns a motion without rotation. */
gjk_rigid_motion gjk_rigid_motion_straight(gjk_vec3 translation);

/*
 * Returns the motion between two poses of the given dimension by the shortest arc. An exact half
 * turn (within rounding) is taken in the direction of interpolation: counter-clockwise in 2D; in 3D
 * about the axis whose first non-zero component is positive. The angle is in [0, pi] in 3D and,
 * within rounding, in (-pi, pi] in 2D.
 */
gjk_rigid_motion gjk_rigid_motion_between(uint32_t dimension, const gjk_pose *from,
                                          const gjk_pose *to);

/* Returns the pose of a shape that starts at `from` after a fraction of the motion; at 0 it is
 * `from` to the bit. */
gjk_pose gjk_rigid_motion_pose(const gjk_pose *from, const gjk_rigid_motion *motion,
                               double fraction);

GJK_END

#endif
