#ifndef GJK_PAIR_PIECES_TOUCH_INSIDE_H
#define GJK_PAIR_PIECES_TOUCH_INSIDE_H

#include "pair/answer.h"

/* Points of a convex shape, at most, that are looked for in a solid. */
#define GJK_INNER_POINTS 16

/* Sets points of a convex shape, without its radius: its middle, then corners. Returns how many. */
uint32_t gjk_points_of_convex(const gjk_placed *placed, gjk_vec3 points[GJK_INNER_POINTS]);

/* Returns true if two shapes whose pieces at most touch overlap all the same: one has a point in
 * the solid of the other's closed mesh, or on a seam within the other's region. */
bool gjk_touch_is_inside(const gjk_placed *a, const gjk_placed *b,
                         const gjk_pair_settings *settings);

#endif
