#ifndef GJK_SHAPE_REGION_ARRANGE_H
#define GJK_SHAPE_REGION_ARRANGE_H

/* The boundary of what a fill rule makes of rings that cross, as rings that do not. */

#include "shape/region/rings.h"

/*
 * Replaces the points and edges of rings by the boundary of the region that the rule makes of them.
 * The new edges meet in points alone; each has the region on one side. Vertices stay where they
 * are. NOT_SIMPLE if that does not come to an end; TOO_MANY_POINTS if the edges cut each other into
 * more than edges_max; OUT_OF_MEMORY, GIVEN_UP. O((n + crossings) log n), each time that rounded
 * crossings have made new ones. Everything lives in the arena.
 */
gjk_status gjk_rings_arrange(struct gjk_arena *arena, gjk_fill fill, uint32_t edges_max,
                             gjk_rings *rings) GJK_MUST_USE;

#endif
