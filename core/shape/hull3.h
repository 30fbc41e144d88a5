#ifndef GJK_SHAPE_HULL3_H
#define GJK_SHAPE_HULL3_H

/* The corners of the convex hull of points in space. */

#include "gjk/arena.h"
#include "gjk/vec.h"

typedef struct gjk_hull3 {
    uint32_t *corners; /* indices, ascending */
    uint32_t count;
    uint32_t (*triangles)[3]; /* the boundary, counter-clockwise from outside; NULL when flat */
    uint32_t triangle_count;
    uint32_t rank; /* dimension of the hull: 0 (all points coincide) to 3 */
} gjk_hull3;

/*
 * Finds the points that are no convex combination of others, exactly, of count >= 1
 * finite ones up to 4 * GJK_COORDINATE_MAX; of coincident points one. The triangles
 * may also have corners in the middle of an edge or facet. O(n log n) time on usual
 * input; about 190 bytes a point from the arena, where the lists stay. OUT_OF_MEMORY
 * only.
 */
gjk_status gjk_hull3_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count,
                          gjk_hull3 *out) GJK_MUST_USE;

#endif
