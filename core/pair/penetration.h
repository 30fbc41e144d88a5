#ifndef GJK_PAIR_PENETRATION_H
#define GJK_PAIR_PENETRATION_H

#include "gjk/pair.h"
#include "pair/simplex2.h"
#include "pair/simplex3.h"
#include "pair/solution.h"

/*
 * Who tells how deep the origin is inside a - b. A solver sees the pair's frame and the
 * simplex with which GJK ended, and improves the bounds, the normal and the witness points
 * of *solution. One that is direct needs no simplex: it is asked before GJK (with NULL),
 * tells the distance of what is apart as well, and answers false where it does not serve a
 * pair or fails; what *solution says then holds but is not the last word. NULL where a
 * solver does not serve a dimension.
 */
struct gjk_penetration_solver {
    bool direct;
    bool (*solve2)(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
                   gjk_solution *solution);
    bool (*solve3)(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
                   gjk_solution *solution);
};

#endif
