#ifndef GJK_TREE_MOTION_H
#define GJK_TREE_MOTION_H

#include "gjk/body.h"

/*
 * The pose, and the rotation as it is given, of a body at alpha in [0, 1) on its way to `next`,
 * which is not a jump: positions go straight, rotations the shortest way (base/angle.h).
 */
gjk_pose gjk_pose_on_way(const gjk_body *from, const gjk_body *next, double alpha,
                         gjk_rotation *turn);

#endif
