#ifndef GJK_PAIR_EPA_DESCEND_H
#define GJK_PAIR_EPA_DESCEND_H

/* The searches that follow EPA for round bodies, in both dimensions. */

#include "pair/frame.h"
#include "pair/gjk/stopping.h"

/* Descends to a local minimum of the depth from each start and from the normal found last, in most
 * cases to the tolerance, and keeps the least depth. *solution: normal; lower = -depth along it.
 * The depth does not grow. Sets witness points with point_a - point_b = depth * normal, as far as
 * the accuracy of the direction allows. */
void gjk_descend_all(const gjk_either_frame *pair, const gjk_goal *goal, gjk_starts *starts,
                     gjk_solution *solution);

/* Pushes out the faces that the ray along trial->normal pierces, by at most *room vertices, and
 * sets the points where it leaves and lower = -distance. *ahead: the normal there. False: it could
 * not. */
typedef bool gjk_leave(void *polytope, const gjk_either_frame *pair, uint32_t *room,
                       gjk_solution *trial, gjk_vec3 *ahead);

/*
 * Finds where the ray from the origin along the normal leaves a - b. The points of a and b there
 * lie on both and differ in its direction, with all digits whatever the tolerance: those of the
 * nearest face are inside of round bodies by as much as the bounds differ, and support points along
 * its normal differ in another direction. How far it leaves is less than the depth along the normal
 * unless a - b has the same normal there; so the search turns to that normal, as long as it gains.
 * Where that ends before the two depths meet, the solution has the less one, at which the points
 * are. False: the solution is left as it was.
 */
bool gjk_find_exit(const gjk_either_frame *pair, void *polytope, gjk_leave *leave,
                   gjk_solution *solution);

#endif
