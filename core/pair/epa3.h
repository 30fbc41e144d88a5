#ifndef GJK_PAIR_EPA3_H
#define GJK_PAIR_EPA3_H

#include "pair/simplex3.h"
#include "pair/solution.h"

/*
 * The penetration of two cores in 3D whose difference holds or touches the
 * origin, from the last simplex of gjk_gjk3. Adds its iterations to *solution and
 * improves the bounds that stand there: lower = -depth from above, upper = -depth from below. A
 * difference without volume has depth 0 along a direction in which it has no width.
 */
void gjk_epa3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
              gjk_solution *solution);

#endif
