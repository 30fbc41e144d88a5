#ifndef GJK_PAIR_SEPARATING_AXIS2_H
#define GJK_PAIR_SEPARATING_AXIS2_H

#include "pair/frame2.h"
#include "pair/solution.h"

/*
 * The distance or the penetration of two cores in 2D that are small polygons, or one of
 * them and a point, without iteration. False when it does not serve this pair, or could not
 * bring the bounds together: then what *solution says of the bounds, of the normal and of
 * what is proven holds all the same, and the general method has the last word.
 */
bool gjk_separating_axis2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
