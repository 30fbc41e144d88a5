#ifndef GJK_RAY_TURNING_H
#define GJK_RAY_TURNING_H

#include "gjk/motion.h"
#include "ray/advance.h"
#include "ray/query_bounds.h"

/* The bounds that everything meets which the moving shape touches on its way. */
gjk_query_bounds gjk_query_bounds_of_turning(const gjk_placed *moving,
                                             const gjk_rigid_motion *motion, double tolerance);

/* Everything that the mover may pass on its way, as a box in the frame of that pose. */
gjk_bounds gjk_swept_bounds(const gjk_mover *mover, const gjk_pose *frame);

/* By how much such a box is to be widened where two shapes with these origins are asked about, one of
 * which moves so far, to hold what roundings and the tolerance may add. */
double gjk_swept_slack(const gjk_placed *moving, const gjk_placed *target, gjk_vec3 translation,
                       double tolerance);

#endif
