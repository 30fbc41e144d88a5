#ifndef GJK_PAIR_DECIDE3_H
#define GJK_PAIR_DECIDE3_H

#include "pair/simplex3.h"
#include "pair/solution.h"

/*
 * Are two cores apart, or do they overlap, beyond doubt? True when what is proven reaches
 * the goal. *simplex begins empty or with points of a - b to start from, and then holds
 * points to go on with: when upper is 0 four around the origin, else up to four near it, in
 * no order. direction: to start along when the simplex is empty, from a towards b, in the
 * frame, of any length but 0.
 */
bool gjk_decide3(const gjk_frame3 *frame, gjk_vec3 direction, const gjk_goal *goal,
                 gjk_simplex3 *simplex, gjk_solution *solution);

#endif
