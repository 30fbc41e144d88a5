#ifndef GJK_PAIR_EPA2_H
#define GJK_PAIR_EPA2_H

#include "pair/simplex2.h"
#include "pair/solution.h"

/*
 * The penetration of two cores in 2D whose difference holds or touches the
 * origin, from the last simplex of gjk_gjk2. Adds its iterations to *solution and
 * improves the bounds that stand there: lower = -depth from above, upper = -depth from below. A
 * difference without area has depth 0 along a direction in which it has no width.
 */
void gjk_epa2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
              gjk_solution *solution);

#endif
