#ifndef GJK_GJK2_H
#define GJK_GJK2_H

#include "simplex2.h"
#include "solution.h"

/*
 * The distance of two clouds in 2D. Returns true when the origin may lie in a - b:
 * then *simplex is the last one, which holds or touches it, and of *solution only
 * the iterations count, unless the goal ended the iteration by a proof.
 * Returns false when the solution is final: apart, or ended by goal or limit.
 * first_direction (frame axes, any length) points from a towards b.
 */
bool gjk_gjk2(const gjk_frame2 *frame, gjk_vec2 first_direction, const gjk_goal *goal,
              gjk_simplex2 *simplex, gjk_solution *solution);

#endif
