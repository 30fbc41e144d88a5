#ifndef GJK_SHAPE_REGION_REGION_H
#define GJK_SHAPE_REGION_REGION_H

/*
 * The steps from the rings of a region to its convex pieces: rings become edges between distinct
 * points (rings.c); a fill rule keeps of them the boundary of what it makes of rings that cross
 * (arrange.c); a sweep checks them and cuts triangles (sweep.c), which are joined (region.c). What a
 * step makes lives in the arena that it is given. Each fails with OUT_OF_MEMORY, too, and those that
 * sweep or sort with GIVEN_UP.
 */

#include "gjk/arena.h"
#include "gjk/pieces.h"
#include "shape/region/status.h"

/* Most vertices of all rings: about as many pieces may they make. */
#define GJK_REGION_VERTICES_MAX GJK_PIECES_MAX

typedef struct gjk_rings {
    const gjk_vec2 *points; /* distinct, in the order of the sweep */
    uint32_t point_count;
    gjk_sweep_edge *edges; /* by the vertices at which they start; room for one more a point */
    uint32_t edge_count;
    const uint32_t *outer; /* ring -> outer ring of its polygon */
    uint32_t ring_count;
    uint32_t vertex_count; /* of the input */
    /* The edges are those of an arrangement, all of one ring: each has the region on one side. */
    bool is_arranged;
} gjk_rings;

/*
 * Checks the numbers and sizes, and leaves out vertices that repeat the one before them. NOT_FINITE
 * and OUT_OF_RANGE with {polygon, ring, vertex}; TOO_FEW_POINTS with {polygon, ring} for less than
 * 3 different vertices, {polygon} without rings, {} without polygons; TOO_MANY_POINTS. O(n log n).
 * Where the region has a fill rule, what has too few vertices is passed over.
 */
gjk_status gjk_rings_make(struct gjk_arena *arena, const gjk_region *region,
                          gjk_pieces_fault *fault, gjk_rings *out) GJK_MUST_USE;

/* The order of the sweep: by x, where that is equal by y. */
int gjk_points_compare(gjk_vec2 a, gjk_vec2 b);

/* Sorts points in that order, and takes out equal ones. *count becomes how many are left, which
 * point_of tells of each. */
gjk_status gjk_points_sort(struct gjk_arena *arena, gjk_vec2 *points, uint32_t *count,
                           uint32_t *point_of) GJK_MUST_USE;

/* The place {polygon, ring, vertex} of a vertex of the input. O(rings). */
gjk_pieces_fault gjk_rings_place(const gjk_region *region, uint32_t vertex);

/*
 * Replaces the points and edges of rings by the boundary of the region that the rule makes of them.
 * The new edges meet in points alone; each has the region on one side. Vertices stay where they
 * are. NOT_SIMPLE if that does not come to an end; TOO_MANY_POINTS if the edges cut each other into
 * more than edges_max. O((n + crossings) log n), each time that rounded crossings have made new ones.
 */
gjk_status gjk_rings_arrange(struct gjk_arena *arena, gjk_fill fill, uint32_t edges_max,
                             gjk_rings *rings) GJK_MUST_USE;

typedef struct gjk_region_triangles {
    const uint32_t (*corners)[3]; /* points, counter-clockwise, none without area */
    uint32_t count;
} gjk_region_triangles;

/*
 * Cuts the region into triangles between its own points, and the edges of the rings where others
 * touch them. No triangle has a point in its inside, but points may lie on its edges where rings
 * touch. Rings may touch themselves and each other in points, on vertices and edges. NOT_SIMPLE with
 * the vertex of the input at which a ring crosses another one or itself, or at which an edge starts
 * that crosses another one, runs along it, or belongs to a ring that lies where it must not: an outer
 * ring inside of another polygon, a hole outside of its outer ring or inside of another hole. Exact.
 * O(n log n) for any input.
 */
gjk_status gjk_region_triangulate(struct gjk_arena *arena, const gjk_rings *rings,
                                  uint32_t *fault_vertex, gjk_region_triangles *out) GJK_MUST_USE;

typedef struct gjk_outlines {
    const uint32_t *points; /* of all outlines, one after the other */
    const uint32_t *starts; /* outline i: points[starts[i]] to points[starts[i + 1]] */
    uint32_t count;
} gjk_outlines;

/*
 * The convex polygons that remain when diagonals between triangles are taken out, as long as both
 * ends stay convex and no polygon gets more than GJK_POINTS_MAX vertices. Strictly convex,
 * counter-clockwise; without that limit at most two for each reflex corner of the region and one
 * for each of its connected parts. Exact. O(n log n).
 */
gjk_status gjk_region_merge(struct gjk_arena *arena, const gjk_vec2 *points,
                            const gjk_region_triangles *triangles, gjk_outlines *out) GJK_MUST_USE;

#endif
