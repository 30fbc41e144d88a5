#ifndef GJK_RAY_CASTS_DIRECT_H
#define GJK_RAY_CASTS_DIRECT_H

#include "ray/general/general.h"

/*
 * The same as gjk_ray_at_pair without iteration: for two boxes in 3D, and in 2D for two polygons
 * with edges, segments among them, or one and a point. The pair's unit is 1 then. near: two whose
 * overlap, seen along the way, is no deeper than this only slide along each other, and do not meet.
 * Returns false for a pair that it does not serve or leaves undecided.
 */
bool gjk_ray_direct(const gjk_placed *a, const gjk_placed *b, const gjk_ray_goal *goal, double near,
                    gjk_ray_solution *solution);

#endif
