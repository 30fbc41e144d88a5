#ifndef GJK_PAIR_PIECES_BALLS_H
#define GJK_PAIR_PIECES_BALLS_H

#include "pair/pieces/way_out.h"

#define GJK_BALLS 32 /* at most: all that two or three of them meet in is tried */

/* The Minkowski difference of two balls: translations that do not part them. */
typedef struct gjk_ball {
    gjk_vec3 center;
    double radius;
} gjk_ball;

typedef struct gjk_balls {
    gjk_budget *budget; /* of searches among them; NULL: none */
    uint32_t count;
    gjk_ball of[GJK_BALLS];
} gjk_balls;

/* Adds a ball. Returns false if there is no room, or one with nearly the same centre. */
bool gjk_balls_add(gjk_balls *balls, gjk_ball new);

/* Sets *t, the least translation beyond the planes alone, to the least that is out of all balls, too,
 * by the margin but for the slack, and returns its length; `most`: there is none below. *t may be in a
 * ball where that is told too roughly. Nothing is told where the budget is spent. count: at
 * most 32. */
double gjk_balls_least(const gjk_balls *balls, const gjk_plane *planes, uint32_t count,
                       double margin, double slack, double most, gjk_vec3 *t);

#endif
