#ifndef GJK_SHAPE_REGION_STATUS_H
#define GJK_SHAPE_REGION_STATUS_H

/*
 * Shared by the two plane sweeps: their edges, and their status: the edges that cross the sweep
 * line, from bottom to top, in a self-adjusting tree.
 */

#include "gjk/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define GJK_NO_ENTRY UINT32_MAX

/*
 * The part of a monotone polygon left of the sweep line that is not triangulated yet: a chain of
 * vertices that is straight or turns away from the inside, its last vertex on top. All vertices but
 * the first are on the upper side of the polygon, or all on the lower side. Copied by value; only
 * the newest copy is valid.
 */
typedef struct gjk_funnel {
    uint32_t top; /* entry; GJK_NO_ENTRY: no funnel */
    bool upper;   /* the chain is on the upper side */
} gjk_funnel;

#define GJK_NO_EDGE UINT32_MAX

#define GJK_NO_RING UINT32_MAX

/* An edge of a ring, or a part of an edge that was cut where another ring touches it. The sweep
 * reaches `left` first. */
typedef struct gjk_sweep_edge {
    uint32_t left, right; /* points, left < right */
    union {
        uint32_t ring;
        int32_t turns; /* arrangement: winding number above minus that below */
    };
    uint32_t vertex; /* of the input, at which the ring's edge starts */
    /* Vertices of the input at the left and right end. Two edges by which a ring passes a point
     * have the same vertex there, although many vertices may coincide in that point. */
    uint32_t left_vertex, right_vertex;
    uint32_t child[2]; /* in the tree: below, above */
    /* The innermost ring around the face just above the edge (GJK_NO_RING: none). If the face is in
     * the region, `funnels` has its one or two monotone polygons, the lower one first. */
    union {
        uint32_t face;
        int32_t winding; /* arrangement: winding number just above */
    };
    gjk_funnel funnels[2];
} gjk_sweep_edge;

/* Gathers edges at their left ends (counting sort): the edges order[starts[p]] to order[starts[p +
 * 1] - 1] start at point p. Precondition: `starts` has point_count + 2 elements. */
void gjk_edges_gather(const gjk_sweep_edge *edges, uint32_t edge_count, uint32_t point_count,
                      uint32_t *starts, uint32_t *order);

/* An edge that leaves the current point to the right. */
typedef struct gjk_spoke {
    gjk_vec2 from, to;
    uint32_t edge;
} gjk_spoke;

/* Compares two spokes of one point, from bottom to top; those with the same direction by edge. A
 * gjk_sort_order. */
int gjk_spoke_from_below(const void *p, const void *q);

/* Three trees of edges: those below a point, those through it or ending at it, and those above. */
typedef struct gjk_status_parts {
    uint32_t below, through, above;
} gjk_status_parts;

/*
 * Splits the tree at a point, which must be in the range of x of each of its edges. The root of
 * `below` is its highest edge, that of `above` its lowest. Exact. O(log n) amortised.
 */
gjk_status_parts gjk_status_split(gjk_sweep_edge *edges, uint32_t root, const gjk_vec2 *points,
                                  uint32_t point);

/* Moves the lowest or the highest edge of a tree to its root. Returns the root. O(log n)
 * amortised. */
uint32_t gjk_status_end(gjk_sweep_edge *edges, uint32_t root, bool highest);

/* Removes the lowest edge from a nonempty tree. Returns that edge. O(log n) amortised. */
uint32_t gjk_status_take_lowest(gjk_sweep_edge *edges, uint32_t *root);

/* Returns the tree of `below`, the edges `between` from bottom to top, and `above`. */
uint32_t gjk_status_join(gjk_sweep_edge *edges, uint32_t below, const uint32_t *between,
                         uint32_t count, uint32_t above);

#endif
