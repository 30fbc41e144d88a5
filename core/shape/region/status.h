#ifndef GJK_SHAPE_REGION_STATUS_H
#define GJK_SHAPE_REGION_STATUS_H

/*
 * Shared by both plane sweeps: their edges, and the status, which are the edges that the sweep line
 * meets now, from below, as a self-adjusting tree.
 */

#include "gjk/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define GJK_NO_ENTRY UINT32_MAX

/*
 * Rest of a monotone polygon to the left of the sweep line: a chain of vertices that turns
 * away from the inside or is straight, its last vertex on top. All but the first lie on the upper
 * side of the polygon or all on the lower one. Copied as a value; the copy before is dead then.
 */
typedef struct gjk_funnel {
    uint32_t top; /* entry; GJK_NO_ENTRY: no funnel */
    bool upper;   /* the chain is on the upper side */
} gjk_funnel;

#define GJK_NO_EDGE UINT32_MAX

#define GJK_NO_RING UINT32_MAX

/* An edge of a ring, or a part of one from a point where another ring touches it. The sweep reaches
 * `left` first. */
typedef struct gjk_sweep_edge {
    uint32_t left, right; /* points, left < right */
    union {
        uint32_t ring;
        int32_t turns; /* of an arrangement: what the winding number gains from below to above */
    };
    uint32_t vertex; /* of the input, at which the ring's edge starts */
    /* The vertices of the input at its left and right end: the two edges that a ring passes through
     * a vertex by have that in common, whereas many vertices may coincide in a point. */
    uint32_t left_vertex, right_vertex;
    uint32_t child[2]; /* in the tree: below, above */
    /* Face just above: the innermost ring around it (GJK_NO_RING: none). Where it belongs to
     * the region, its one or two monotone polygons, the lower one first. */
    union {
        uint32_t face;
        int32_t winding; /* of an arrangement: number just above */
    };
    gjk_funnel funnels[2];
} gjk_sweep_edge;

/* Gathers edges at their left ends (counting sort): those from order[starts[p]] to order[starts[p + 1]]
 * start at point p. starts: of two more than there are points. */
void gjk_edges_gather(const gjk_sweep_edge *edges, uint32_t edge_count, uint32_t point_count,
                      uint32_t *starts, uint32_t *order);

/* An edge to the right of the point that is being visited. */
typedef struct gjk_spoke {
    gjk_vec2 from, to;
    uint32_t edge;
} gjk_spoke;

/* Compares two spokes of one point, from below, those in one direction by edge (gjk_sort_order). */
int gjk_spoke_from_below(const void *p, const void *q);

/* Three trees of edges: those below a point, those that end at it or go through it, those above. */
typedef struct gjk_status_parts {
    uint32_t below, through, above;
} gjk_status_parts;

/*
 * Takes the tree apart at a point that is not left of the left end of any of its edges, nor right
 * of their right ends. The root of `below` is its highest edge, that of `above` its lowest. Exact.
 * O(log n) amortised.
 */
gjk_status_parts gjk_status_split(gjk_sweep_edge *edges, uint32_t root, const gjk_vec2 *points,
                                  uint32_t point);

/* Brings the lowest edge of a tree, or the highest, to its root, which is returned. O(log n)
 * amortised. */
uint32_t gjk_status_end(gjk_sweep_edge *edges, uint32_t root, bool highest);

/* Takes the lowest edge out of a tree that is not empty. O(log n) amortised. */
uint32_t gjk_status_take_lowest(gjk_sweep_edge *edges, uint32_t *root);

/* The tree of all of `below`, the given edges from below, and all of `above`. */
uint32_t gjk_status_join(gjk_sweep_edge *edges, uint32_t below, const uint32_t *between,
                         uint32_t count, uint32_t above);

#endif
