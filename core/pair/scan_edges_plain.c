/*
 * The scan of edges in plain C, for every processor: a block of edges at a time, in loops of
 * fixed length that a compiler can vectorize. Also chooses the scan for the instruction set.
 */

#include "pair/scan_edges.h"

static void turn(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->b->columns, *y = x + f->b->stride, *edges = gjk_edges_of(f->b);
    const uint32_t stride = f->b->stride;
    for (uint32_t i = 0; i < stride; i++) {
        b->x[i] = f->row0.x * x[i] + f->row0.y * y[i] + f->translation.x;
        b->y[i] = f->row1.x * x[i] + f->row1.y * y[i] + f->translation.y;
    }
    for (uint32_t i = 0; gjk_has_edges(f->b) && i < stride; i++) {
        double u = edges[i], v = edges[stride + i];
        b->normal_x[i] = f->row0.x * u + f->row0.y * v;
        b->normal_y[i] = f->row1.x * u + f->row1.y * v;
        b->offset[i] = edges[2 * (size_t)stride + i] +
                       (b->normal_x[i] * f->translation.x + b->normal_y[i] * f->translation.y);
    }
}

/* A block of edges, and the points that are projected on their normals. */
typedef struct block2 {
    const double *normal_x, *normal_y, *offset;
    const double *x, *y;
    uint32_t count;
} block2;

/* Keeps the widest of the gaps along the normals. index: of the first edge. */
static void scan_block(const block2 *block, uint32_t index, gjk_gap2 *widest) {
    double least[GJK_LANES];
    for (uint32_t lane = 0; lane < GJK_LANES; lane++) {
        least[lane] = INFINITY;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        const double px = block->x[i], py = block->y[i];
        for (uint32_t lane = 0; lane < GJK_LANES; lane++) {
            double along = block->normal_x[lane] * px + block->normal_y[lane] * py;
            least[lane] = along < least[lane] ? along : least[lane];
        }
    }
    for (uint32_t lane = 0; lane < GJK_LANES; lane++) {
        double gap = least[lane] - block->offset[lane];
        if (gap > widest->gap) {
            widest->gap = gap;
            widest->edge = index + lane;
        }
    }
}

gjk_gap2 gjk_scan_edges_plain(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->a->columns, *y = x + f->a->stride, *edges = gjk_edges_of(f->a);
    const uint32_t stride_a = gjk_has_edges(f->a) ? f->a->stride : 0;
    const uint32_t stride_b = gjk_has_edges(f->b) ? f->b->stride : 0;
    turn(f, b);
    gjk_gap2 widest = {.gap = -INFINITY};
    for (uint32_t i = 0; i < stride_a; i += GJK_LANES) {
        const double *normal_x = edges + i, *normal_y = normal_x + stride_a;
        block2 block = {normal_x, normal_y, normal_y + stride_a, b->x, b->y, f->b->count};
        scan_block(&block, i, &widest);
    }
    for (uint32_t i = 0; i < stride_b; i += GJK_LANES) {
        block2 block = {b->normal_x + i, b->normal_y + i, b->offset + i, x, y, f->a->count};
        scan_block(&block, GJK_EDGES_MAX + i, &widest);
    }
    widest.of_b = widest.edge >= GJK_EDGES_MAX;
    widest.edge %= GJK_EDGES_MAX;
    return widest;
}

gjk_gap2 gjk_scan_edges(const gjk_frame2 *frame, gjk_turned2 *b) {
#ifdef GJK_SCAN_X86
    if (gjk_has_avx512()) {
        return gjk_scan_edges_avx512(frame, b);
    }
    if (gjk_has_avx2()) {
        return gjk_scan_edges_avx2(frame, b);
    }
#endif
    return gjk_scan_edges_plain(frame, b);
}
