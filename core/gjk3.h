#ifndef GJK_GJK3_H
#define GJK_GJK3_H

#include "simplex3.h"
#include "solution.h"

/*
 * The distance of two clouds in 3D. Returns true when the origin may lie in a - b:
 * then *simplex is the last one, which holds or touches it, and of *solution only
 * the iterations count, unless the goal ended the iteration by a proof.
 * Returns false when the solution is final: apart, or ended by goal or limit.
 * first_direction (frame axes, any length) points from a towards b.
 */
bool gjk_gjk3(const gjk_frame3 *frame, gjk_vec3 first_direction, const gjk_goal *goal,
              gjk_simplex3 *simplex, gjk_solution *solution);

#endif
