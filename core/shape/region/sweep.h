#ifndef GJK_SHAPE_REGION_SWEEP_H
#define GJK_SHAPE_REGION_SWEEP_H

/* Checks the rings of a region, and cuts it into triangles. */

#include "shape/region/rings.h"

#define GJK_NO_RING UINT32_MAX

typedef struct gjk_region_triangles {
    const uint32_t (*corners)[3]; /* points, counter-clockwise, none without area */
    uint32_t count;
} gjk_region_triangles;

/*
 * Cuts the region into triangles between its own points: none has a point in its inside, but points
 * may lie on its edges where rings touch. Rings may touch themselves and each other in points, on
 * vertices and edges. NOT_SIMPLE with the vertex of the input at which a ring crosses another one
 * or itself, or at which an edge starts that crosses another one, runs along it, or belongs to a
 * ring that lies where it must not: an outer ring inside of another polygon, a hole outside of its
 * outer ring or inside of another hole. OUT_OF_MEMORY. Exact. O(n log n) for any input. Everything
 * lives in the arena.
 */
gjk_status gjk_region_triangulate(struct gjk_arena *arena, const gjk_rings *rings,
                                  uint32_t *fault_vertex, gjk_region_triangles *out) GJK_MUST_USE;

#endif
