#ifndef GJK_SHAPE_REGION_REGION_H
#define GJK_SHAPE_REGION_REGION_H

/* Joins triangles into few convex polygons. */

#include "shape/region/sweep.h"

typedef struct gjk_outlines {
    const uint32_t *points; /* of all outlines, one after the other */
    const uint32_t *starts; /* outline i: points[starts[i]] to points[starts[i + 1]] */
    uint32_t count;
} gjk_outlines;

/*
 * The convex polygons that remain when diagonals between triangles are taken out, as long as both
 * ends stay convex and no polygon gets more than GJK_POINTS_MAX vertices. Strictly convex,
 * counter-clockwise; without that limit at most two for each reflex corner of the region and one
 * for each of its connected parts. Exact. O(n log n). Everything lives in the arena. OUT_OF_MEMORY.
 */
gjk_status gjk_region_merge(struct gjk_arena *arena, const gjk_vec2 *points,
                            const gjk_region_triangles *triangles, gjk_outlines *out) GJK_MUST_USE;

#endif
