#ifndef GJK_PAIR_SEPARATING_AXIS3_H
#define GJK_PAIR_SEPARATING_AXIS3_H

#include "pair/frame3.h"
#include "pair/solution.h"

/*
 * Whether two boxes with thickness are apart, and their penetration, without iteration.
 * False when it does not serve this pair or the question is left open (the distance of what
 * is apart always is): then what *solution says is proven holds, and the normal, if lower is
 * finite, is a good direction to start along.
 */
bool gjk_separating_axis3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
