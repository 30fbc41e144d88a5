#ifndef GJK_DECIDE3_H
#define GJK_DECIDE3_H

#include "simplex3.h"
#include "solution.h"

/*
 * Are two cores apart, or do they overlap, beyond doubt? True when what is proven reaches
 * the goal. Else *simplex holds points of a - b for the general method to go on with: when
 * overlapping is proven four around the origin, otherwise up to four near it, in no order.
 * direction: to start along, from a towards b, in the frame, of any length but 0.
 */
bool gjk_decide3(const gjk_frame3 *frame, gjk_vec3 direction, const gjk_goal *goal,
                 gjk_simplex3 *simplex, gjk_solution *solution);

#endif
