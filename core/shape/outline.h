#ifndef GJK_SHAPE_OUTLINE_H
#define GJK_SHAPE_OUTLINE_H

/* Is a closed line through points of the plane the outline of a convex polygon? */

#include "gjk/arena.h"
#include "gjk/vec.h"
#include "shape/hull2.h"

/*
 * How far inside its neighbours' chord a vertex may lie and still count as collinear,
 * relative to the larger side of the outline's bounding box: 1e-12, and a thousandth
 * of it for the rounding of coordinates that mean to be just there.
 */
#define GJK_OUTLINE_SLACK 1.001e-12

/*
 * Judges the outline through count >= 3 vertices with the given hull, in either
 * winding. NOT_CONVEX with *bad_vertex the first vertex that is concave or where the
 * line turns back or begins another round; 0 when it has no area. O(n) time; 24
 * bytes a vertex from the arena. OUT_OF_MEMORY.
 */
gjk_status gjk_outline_check(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                             const gjk_hull2 *hull, uint32_t *bad_vertex) GJK_MUST_USE;

#endif
