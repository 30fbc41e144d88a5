#ifndef GJK_PAIR_DIRECT_EDGES_H
#define GJK_PAIR_DIRECT_EDGES_H

#include "pair/frame.h"
#include "shape/convex/cloud.h"
#include "shape/convex/scan.h"

/* The columns of b in the frame of a pair, whose unit is 1. */
typedef struct gjk_turned2 {
    _Alignas(64) double x[GJK_EDGES_MAX];
    double y[GJK_EDGES_MAX];
    double normal_x[GJK_EDGES_MAX]; /* outward of b; from here on unset where b has no edges */
    double normal_y[GJK_EDGES_MAX];
    double offset[GJK_EDGES_MAX];
} gjk_turned2;

/* The widest gap between two polygons along the normals of their edges; when negative, they overlap
 * by at least its magnitude along every normal. */
typedef struct gjk_gap2 {
    double gap;
    uint32_t edge;
    bool of_b; /* whether the edge is one of b */
} gjk_gap2;

/* Turns b into the frame and finds the widest gap along the normals of all edges of both. At least
 * one has edges, both have at most GJK_EDGES_MAX points. Among equals an edge of a comes first,
 * then the lowest index. One function for each instruction set, with the same bits. */
typedef gjk_gap2 gjk_scan_edges(const gjk_frame2 *frame, gjk_turned2 *b);
extern gjk_scan_edges *const gjk_scan_edges_plain, *const gjk_scan_edges_avx2,
                                                       *const gjk_scan_edges_avx512;

#endif
