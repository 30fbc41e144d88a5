#ifndef GJK_PAIR_COAXIAL3_H
#define GJK_PAIR_COAXIAL3_H

#include "pair/frame3.h"
#include "pair/solution.h"

/*
 * The distance or the penetration of a cylinder or a cone and another of them, a segment or a
 * point, whose axes are parallel (to a point any axis is), without iteration and to rounding.
 * False when it does not serve this pair, or could not bring the bounds together: then what
 * *solution says of the bounds and of what is proven holds all the same.
 */
bool gjk_coaxial3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
