#ifndef GJK_PAIR_DESCEND2_H
#define GJK_PAIR_DESCEND2_H

#include "pair/frame2.h"
#include "pair/solution.h"

/*
 * From a direction along which two cores that overlap are nearly least deep in each other
 * (*solution: normal; lower = -depth along it) to one near it along which they are least deep: a
 * local minimum, in most cases to the tolerance. The depth does not grow. Leaves points of both
 * with point_a - point_b = depth * normal, as near as a direction of that depth can tell.
 */
void gjk_descend2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
