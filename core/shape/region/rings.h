#ifndef GJK_SHAPE_REGION_RINGS_H
#define GJK_SHAPE_REGION_RINGS_H

/* The rings of a region as edges between distinct points, which stand in the order of the sweep. */

#include "gjk/arena.h"
#include "gjk/pieces.h"

/* Most vertices of all rings: about as many pieces may they make. */
#define GJK_REGION_VERTICES_MAX GJK_PIECES_MAX

/* An edge of a ring. The sweep reaches `left` first. */
typedef struct gjk_ring_edge {
    uint32_t left, right; /* points, left < right */
    uint32_t ring;
    uint32_t vertex; /* of the input, at which it starts */
    /* The vertices of the input at its left and right end: the two edges that a ring passes through
     * a vertex by have that in common, whereas many vertices may coincide in a point. */
    uint32_t left_vertex, right_vertex;
} gjk_ring_edge;

typedef struct gjk_rings {
    const gjk_vec2 *points; /* distinct, by x, of these by y */
    uint32_t point_count;
    const gjk_ring_edge *edges; /* by the vertices at which they start */
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
 * 3 different vertices, {polygon} without rings, {} without polygons; TOO_MANY_POINTS;
 * OUT_OF_MEMORY. O(n log n). Everything lives in the arena. Where the region has a fill rule, what
 * has too few vertices is passed over.
 */
gjk_status gjk_rings_make(struct gjk_arena *arena, const gjk_region *region,
                          gjk_pieces_fault *fault, gjk_rings *out) GJK_MUST_USE;

/* Sorts points by x, of these by y, and takes out equal ones. *count becomes how many are left,
 * which point_of tells of each. OUT_OF_MEMORY, GIVEN_UP. */
gjk_status gjk_points_sort(struct gjk_arena *arena, gjk_vec2 *points, uint32_t *count,
                           uint32_t *point_of) GJK_MUST_USE;

/* The place {polygon, ring, vertex} of a vertex of the input. O(rings). */
gjk_pieces_fault gjk_rings_place(const gjk_region *region, uint32_t vertex);

#endif
