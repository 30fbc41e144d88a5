#ifndef GJK_PAIR_DIRECT_EDGES_H
#define GJK_PAIR_DIRECT_EDGES_H

#include "pair/frame.h"
#include "shape/convex/cloud.h"
#include "shape/convex/scan.h"

/* The points and edges of b in the frame of a pair whose unit is 1. */
typedef struct gjk_turned2 {
    _Alignas(64) double x[GJK_EDGES_MAX];
    double y[GJK_EDGES_MAX];
    double normal_x[GJK_EDGES_MAX]; /* outward of b; from here on unset without edges */
    double normal_y[GJK_EDGES_MAX];
    double offset[GJK_EDGES_MAX];
} gjk_turned2;

/* The widest gap between two polygons along the normals of their edges. If it is negative, they
 * overlap by at least its magnitude along each of these normals. */
typedef struct gjk_gap2 {
    double gap;
    uint32_t edge;
    bool of_b; /* the edge belongs to b */
} gjk_gap2;

/* Rotates b into the frame and finds the widest gap along the normals of all edges of both. At
 * least one shape has edges, both have at most GJK_EDGES_MAX points. Ties: an edge of a comes
 * first, then the lowest index. One function for each instruction set, with the same bits. */
typedef gjk_gap2 gjk_scan_edges(const gjk_frame2 *frame, gjk_turned2 *b);
extern gjk_scan_edges *const gjk_scan_edges_plain, *const gjk_scan_edges_avx2,
                                                       *const gjk_scan_edges_avx512;

/* Contact of a ray from 0 with a - b, with a ball around each point. */
typedef struct gjk_entry2 {
    /* Distance at which the ray passes the last edge line from outside to inside; -INFINITY:
     * none. */
    double t;
    double widest;    /* gap between the two at the start */
    double low, high; /* extent of a - b, without the ball, to the left of the ray */
    uint32_t edge;
    bool of_b;
    bool recedes; /* starts outside of a line and leads away from or along it */
} gjk_entry2;

/* Finds the entry of a ray of unit direction. Lines within `rounding` of its start do not count.
 * Preconditions as for gjk_scan_edges. */
typedef gjk_entry2 gjk_enter_edges(const gjk_frame2 *frame, gjk_vec2 direction, double radius,
                                   double rounding, gjk_turned2 *b);
extern gjk_enter_edges *const gjk_enter_edges_plain, *const gjk_enter_edges_avx2,
                                                         *const gjk_enter_edges_avx512;

/* Returns true if these functions support the pair. */
static inline bool gjk_edges_serve(const gjk_frame2 *frame) {
    return frame->unit == 1.0 && frame->a->count - 1 < GJK_EDGES_MAX &&
           frame->b->count - 1 < GJK_EDGES_MAX && /* a curve has count 0 */
           (gjk_has_edges(frame->a) || gjk_has_edges(frame->b)) &&
           (gjk_has_edges(frame->a) || frame->a->count == 1) &&
           (gjk_has_edges(frame->b) || frame->b->count == 1);
}

#endif
