#ifndef GJK_SHAPE_REGION_REGION_H
#define GJK_SHAPE_REGION_REGION_H

/*
 * The steps from the rings of a region to its convex pieces: rings become edges between distinct
 * points (rings.c); with a fill rule, only the boundary of the filled area is kept (arrange.c); a
 * sweep checks the rings and cuts the region into triangles (sweep.c), which are merged (region.c).
 * Results are allocated in the given arena. Each step can also fail with OUT_OF_MEMORY, and those
 * that sweep or sort with GIVEN_UP.
 */

#include "gjk/arena.h"
#include "gjk/pieces.h"
#include "shape/region/status.h"

/* Maximum number of vertices of all rings. The number of pieces is of the same order. */
#define GJK_REGION_VERTICES_MAX GJK_PIECES_MAX

typedef struct gjk_rings {
    const gjk_vec2 *points; /* distinct, in the order of the sweep */
    uint32_t point_count;
    gjk_sweep_edge *edges; /* ordered by starting vertices; capacity: edge_count + point_count */
    uint32_t edge_count;
    const uint32_t *outer; /* ring -> outer ring of its polygon */
    uint32_t ring_count;
    uint32_t vertex_count; /* of the input */
    /* The edges are those of an arrangement, as one ring: each has the region on one side. */
    bool is_arranged;
} gjk_rings;

/*
 * Checks the numbers and sizes, and drops vertices equal to the one before them. Returns NOT_FINITE
 * or OUT_OF_RANGE with the fault {polygon, ring, vertex}; TOO_FEW_POINTS with {polygon, ring} for
 * fewer than 3 different vertices, {polygon} if it has no rings, {} if there are no polygons;
 * TOO_MANY_POINTS. With a fill rule, rings with too few vertices are ignored. O(n log n).
 */
gjk_status gjk_rings_make(struct gjk_arena *arena, const gjk_region *region,
                          gjk_pieces_fault *fault, gjk_rings *out) GJK_MUST_USE;

/* Compares points in the order of the sweep: by x, then by y. */
int gjk_points_compare(gjk_vec2 a, gjk_vec2 b);

/* Sorts points in that order and removes duplicates. *count becomes the number of points left;
 * point_of: the new index of each given point. */
gjk_status gjk_points_sort(struct gjk_arena *arena, gjk_vec2 *points, uint32_t *count,
                           uint32_t *point_of) GJK_MUST_USE;

/* Returns the place {polygon, ring, vertex} of a vertex of the input. O(rings). */
gjk_pieces_fault gjk_rings_place(const gjk_region *region, uint32_t vertex);

/*
 * Replaces points and edges by the boundary of the region that the fill rule makes of the rings.
 * The new edges meet only at points; each has the region on one side. Vertices keep their
 * positions. Returns NOT_SIMPLE if the sweeps do not terminate, TOO_MANY_POINTS if cutting gives
 * more than edges_max edges. O((n + crossings) log n) for each sweep; another one follows if
 * rounded crossings have moved edges.
 */
gjk_status gjk_rings_arrange(struct gjk_arena *arena, gjk_fill fill, uint32_t edges_max,
                             gjk_rings *rings) GJK_MUST_USE;

typedef struct gjk_region_triangles {
    const uint32_t (*corners)[3]; /* points, counter-clockwise, none without area */
    uint32_t count;
} gjk_region_triangles;

/*
 * Cuts a region into triangles whose corners are the points of its rings, and the edges of the
 * rings where others touch them. No triangle contains a point in its interior, but points may be on
 * its edges where rings touch. Rings may touch themselves and each other at points, on vertices and
 * edges. Returns NOT_SIMPLE with a vertex of the input: at which a ring crosses itself or another
 * one; or at which an edge starts that crosses another edge, overlaps one, or belongs to a
 * misplaced ring: an outer ring inside another polygon, a hole outside its outer ring or inside
 * another hole. Exact. O(n log n) for any input.
 */
gjk_status gjk_region_triangulate(struct gjk_arena *arena, const gjk_rings *rings,
                                  uint32_t *fault_vertex, gjk_region_triangles *out) GJK_MUST_USE;

typedef struct gjk_outlines {
    const uint32_t *points; /* of all outlines, one after the other */
    const uint32_t *starts; /* outline i: points[starts[i]] to points[starts[i + 1] - 1] */
    uint32_t count;
} gjk_outlines;

/*
 * Merges triangles into convex polygons by removing diagonals, as long as both ends stay convex and
 * no polygon gets more than GJK_POINTS_MAX vertices. The polygons are strictly convex and
 * counter-clockwise; without that limit, there are at most two for each reflex corner of the region
 * plus one for each of its connected parts. Exact. O(n log n).
 */
gjk_status gjk_region_merge(struct gjk_arena *arena, const gjk_vec2 *points,
                            const gjk_region_triangles *triangles, gjk_outlines *out) GJK_MUST_USE;

#endif
