#ifndef GJK_PAIR_PIECES_BALLS_H
#define GJK_PAIR_PIECES_BALLS_H

#include "pair/pieces/way_out.h"

#define GJK_BALLS 32 /* limit, since all intersections of two or three are tried */

/* Minkowski difference of two balls: the translations that do not separate them. */
typedef struct gjk_ball {
    gjk_vec3 center;
    double radius;
} gjk_ball;

typedef struct gjk_balls {
    gjk_budget *budget; /* for searches; NULL: no limit */
    uint32_t count;
    gjk_ball of[GJK_BALLS];
} gjk_balls;

/* Adds a ball. Returns false if there is no room, or a ball with nearly the same centre exists. */
bool gjk_balls_add(gjk_balls *balls, gjk_ball new);

/* Extends *t, the least translation beyond the planes alone, to the least translation that is also
 * outside of all balls, by the margin within the slack, and returns its length, or `most` if there
 * is no shorter one. *t may be inside a ball if its position is inaccurate. If the budget is spent,
 * the result is invalid. `count` is at most 32. */
double gjk_balls_least(const gjk_balls *balls, const gjk_plane *planes, uint32_t count,
                       double margin, double slack, double most, gjk_vec3 *t);

#endif
