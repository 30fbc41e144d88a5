#ifndef GJK_SHAPE_CONVEX_FACETS_H
#define GJK_SHAPE_CONVEX_FACETS_H

#include "gjk/arena.h"
#include "gjk/shape.h"

/* Half spaces normal . x <= offset, in the shape's own frame. */
typedef struct gjk_facet {
    gjk_vec3 normal; /* unit length */
    double offset;
} gjk_facet;

typedef struct gjk_facets {
    gjk_facet *items;
    uint32_t count;
} gjk_facets;

/*
 * The half spaces whose intersection is the core of a shape that has a cloud, flat ones and points
 * included, up to rounding: a few units in the last place of the size in each offset. The normals
 * are those of the hull's edges (2D) or triangles (3D); each offset is that of the cloud's farthest
 * point, so that all of the shape lies in every half space. In the arena. O(n log n) and a scan of
 * the cloud for each. OUT_OF_MEMORY.
 */
gjk_status gjk_facets_make(struct gjk_arena *arena, const gjk_shape *shape,
                           gjk_facets *out) GJK_MUST_USE;

#endif
