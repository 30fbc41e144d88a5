#ifndef GJK_PAIR_GJK2_H
#define GJK_PAIR_GJK2_H

#include "pair/simplex2.h"
#include "pair/solution.h"

/*
 * The distance of two cores in 2D. Returns true when the penetration solver must
 * have the last word: the last simplex holds the origin (upper = 0, no points), or
 * all but touches it and no axis proves it apart (points and upper bound stand).
 * Returns false when the solution is final: apart, or ended by the goal or the limit.
 * *solution begins empty (gjk_no_solution), but for what was proven before.
 */
bool gjk_gjk2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_simplex2 *simplex,
              gjk_solution *solution);

#endif
