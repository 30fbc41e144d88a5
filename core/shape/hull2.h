#ifndef GJK_SHAPE_HULL2_H
#define GJK_SHAPE_HULL2_H

/* The corners of the convex hull of points in the plane. */

#include "gjk/arena.h"
#include "gjk/vec.h"

typedef struct gjk_hull2 {
    uint32_t *corners; /* indices, counter-clockwise from the least x (of these: y) */
    uint32_t count;    /* 1: all coincide; 2: all on one line */
} gjk_hull2;

/*
 * Finds the points that are no convex combination of others, exactly, of count >= 1
 * finite ones; of coincident points the one with the least index. O(n log n) time;
 * 28 bytes a point from the arena, where the corners stay. OUT_OF_MEMORY only.
 */
gjk_status gjk_hull2_make(struct gjk_arena *arena, const gjk_vec2 *points, uint32_t count,
                          gjk_hull2 *out) GJK_MUST_USE;

#endif
