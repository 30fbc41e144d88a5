#ifndef GJK_PAIR_SCAN_EDGES_H
#define GJK_PAIR_SCAN_EDGES_H

#include "pair/frame2.h"
#include "shape/cloud.h"
#include "shape/scan.h"

/* The columns of b in the frame of a pair, whose unit is 1. */
typedef struct gjk_turned2 {
    _Alignas(64) double x[GJK_EDGES_MAX];
    double y[GJK_EDGES_MAX];
    double normal_x[GJK_EDGES_MAX]; /* outward of b, as the rest without use where b has no edges */
    double normal_y[GJK_EDGES_MAX];
    double offset[GJK_EDGES_MAX];
} gjk_turned2;

/* The widest gap between two polygons along a normal of an edge; negative: they overlap by
 * at least that much along every one. */
typedef struct gjk_gap2 {
    double gap;
    uint32_t edge;
    bool of_b; /* whose edge */
} gjk_gap2;

/*
 * Turns b into the frame and looks along the normals of all edges of both. At least one has
 * edges, both at most GJK_EDGES_MAX points. Among equals a's edge and the lowest index. One
 * function for each instruction set, the same bits from all.
 */
gjk_gap2 gjk_scan_edges_plain(const gjk_frame2 *frame, gjk_turned2 *b);
#ifdef GJK_SCAN_X86
gjk_gap2 gjk_scan_edges_avx2(const gjk_frame2 *frame, gjk_turned2 *b);
gjk_gap2 gjk_scan_edges_avx512(const gjk_frame2 *frame, gjk_turned2 *b);
#endif

/* The best of them for this processor. */
gjk_gap2 gjk_scan_edges(const gjk_frame2 *frame, gjk_turned2 *b);

#endif
