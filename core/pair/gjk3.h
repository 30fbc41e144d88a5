#ifndef GJK_PAIR_GJK3_H
#define GJK_PAIR_GJK3_H

#include "pair/simplex3.h"
#include "pair/solution.h"

/*
 * The distance of two cores in 3D. Returns true when the penetration solver must
 * have the last word: the last simplex holds the origin (upper = 0, no points), or
 * all but touches it and no axis proves it apart (points and upper bound stand).
 * Returns false when the solution is final: apart, or ended by the goal or the limit.
 * *simplex begins empty, or with points of a - b to start from; *solution begins empty
 * (gjk_no_solution), but for what was proven before.
 */
bool gjk_gjk3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_simplex3 *simplex,
              gjk_solution *solution);

#endif
