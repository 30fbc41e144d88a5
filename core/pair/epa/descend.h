#ifndef GJK_PAIR_EPA_DESCEND_H
#define GJK_PAIR_EPA_DESCEND_H

/* The searches after EPA for round bodies, in both dimensions. */

#include "pair/frame.h"
#include "pair/gjk/stopping.h"

/* Descends to a local minimum of the depth from each start and from the last normal, usually to the
 * tolerance, and keeps the least depth. In and out: *solution with a normal and lower = -depth
 * along it. The depth does not increase. Sets witness points with point_a - point_b = depth *
 * normal, within the accuracy of the direction. */
void gjk_descend_all(const gjk_either_frame *pair, const gjk_goal *goal, gjk_starts *starts,
                     gjk_solution *solution);

/* Pushes out the faces that the ray along trial->normal pierces, by at most *room vertices. Sets
 * the exit points, lower = -distance, and *ahead, the normal at the exit. Returns false on
 * failure. */
typedef bool gjk_push_out_along(void *polytope, const gjk_either_frame *pair, uint32_t *room,
                                gjk_solution *trial, gjk_vec3 *ahead);

/*
 * Finds where the ray from the origin along the normal leaves a - b. The points of a and b there
 * lie on both surfaces and differ along the ray, to all digits whatever the tolerance; those of the
 * nearest face lie inside round bodies by the gap between the bounds, and support points along its
 * normal differ in another direction. The exit distance is less than the depth along the normal
 * unless a - b has the same normal there, so the search turns to that normal while the depth
 * decreases. If it ends before the two meet, the solution has the exit distance and its points.
 * Returns false if it fails; *solution is then unchanged.
 */
bool gjk_find_exit(const gjk_either_frame *pair, void *polytope, gjk_push_out_along *leave,
                   gjk_solution *solution);

#endif
