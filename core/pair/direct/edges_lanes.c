/*
 * The scan of edges: eight edges at a time against each point in turn. Minima over the points are
 * taken lane by lane; the lanes are compared once, at the end.
 */

#include "base/eight_lanes.h"
#include "pair/direct/edges.h"

LANES_INLINE lanes dot(lanes ax, lanes ay, lanes bx, lanes by) {
    return lanes_add(lanes_mul(ax, bx), lanes_mul(ay, by));
}

LANES_INLINE void turn(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->b->columns, *y = x + f->b->stride, *edges = gjk_edges_of(f->b);
    const uint32_t stride = f->b->stride;
    const lanes r00 = lanes_all(f->row0.x), r01 = lanes_all(f->row0.y);
    const lanes r10 = lanes_all(f->row1.x), r11 = lanes_all(f->row1.y);
    const lanes tx = lanes_all(f->translation.x), ty = lanes_all(f->translation.y);
    for (uint32_t i = 0; i < stride; i += GJK_LANES) {
        const lanes px = lanes_load(x + i), py = lanes_load(y + i);
        lanes_store(b->x + i, lanes_add(dot(r00, r01, px, py), tx));
        lanes_store(b->y + i, lanes_add(dot(r10, r11, px, py), ty));
        if (gjk_has_edges(f->b)) {
            const lanes u = lanes_load(edges + i), v = lanes_load(edges + stride + i);
            const lanes nx = dot(r00, r01, u, v), ny = dot(r10, r11, u, v);
            const lanes offset = lanes_load(edges + 2 * (size_t)stride + i);
            lanes_store(b->normal_x + i, nx);
            lanes_store(b->normal_y + i, ny);
            lanes_store(b->offset + i, lanes_add(offset, dot(nx, ny, tx, ty)));
        }
    }
}

/* Returns the gaps along eight normals. */
LANES_INLINE lanes find_gaps(const double *normal_x, const double *normal_y, const double *offset,
                             const double *x, const double *y, uint32_t count) {
    const lanes nx = lanes_load(normal_x), ny = lanes_load(normal_y);
    lanes least = lanes_all(INFINITY);
    for (uint32_t i = 0; i < count; i++) {
        least = lanes_smaller(dot(nx, ny, lanes_all(x[i]), lanes_all(y[i])), least);
    }
    return lanes_sub(least, lanes_load(offset));
}

/* Returns the index of the largest number, the lowest among equals. `block` holds, in each lane,
 * the index of its block's first number. */
LANES_INLINE uint32_t first_of_largest(lanes most, lanes block) {
    const lanes index =
        lanes_add(lanes_where_less(most, lanes_largest(most), lanes_all(INFINITY), block),
                  lanes_numbers());
    return (uint32_t)lanes_first(lanes_least(index));
}

LANES_INLINE gjk_gap2 scan_edges(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->a->columns, *y = x + f->a->stride, *edges = gjk_edges_of(f->a);
    const uint32_t stride_a = gjk_has_edges(f->a) ? f->a->stride : 0;
    const uint32_t stride_b = gjk_has_edges(f->b) ? f->b->stride : 0;
    lanes most = lanes_all(-INFINITY), block = lanes_all(0.0);
    turn(f, b);
    for (uint32_t i = 0; i < stride_a; i += GJK_LANES) {
        const double *normal_x = edges + i, *normal_y = normal_x + stride_a;
        const lanes gaps =
            find_gaps(normal_x, normal_y, normal_y + stride_a, b->x, b->y, f->b->count);
        block = lanes_where_less(most, gaps, lanes_all(i), block);
        most = lanes_larger(gaps, most);
    }
    for (uint32_t i = 0; i < stride_b; i += GJK_LANES) {
        const lanes gaps =
            find_gaps(b->normal_x + i, b->normal_y + i, b->offset + i, x, y, f->a->count);
        block = lanes_where_less(most, gaps, lanes_all(GJK_EDGES_MAX + i), block);
        most = lanes_larger(gaps, most);
    }
    const uint32_t least = first_of_largest(most, block);
    return (gjk_gap2){lanes_first(lanes_largest(most)), least % GJK_EDGES_MAX,
                      least >= GJK_EDGES_MAX};
}

/* The last entry of a ray after some blocks of edges, lane by lane. */
typedef struct entries {
    lanes t, block, widest;
    uint32_t recede;
} entries;

/* Adds a block of lines with these gaps, which the ray approaches at these rates. */
LANES_INLINE void enter_block(entries *all, lanes gap, lanes rate, double rounding, double block) {
    const lanes none = lanes_all(0.0), least = lanes_all(rounding);
    const lanes t = lanes_where_less(least, gap, lanes_divide(gap, rate), lanes_all(-INFINITY));
    all->recede |= lanes_above(gap, least) & lanes_not_below(none, rate);
    all->block = lanes_where_less(all->t, t, lanes_all(block), all->block);
    all->t = lanes_larger(t, all->t);
    all->widest = lanes_larger(gap, all->widest);
}

/* Computes the extent of the points along a direction, in all lanes. */
LANES_INLINE void find_extent(const double *x, const double *y, uint32_t stride, gjk_vec2 d,
                              lanes *low, lanes *high) {
    lanes least = lanes_all(INFINITY), most = lanes_all(-INFINITY);
    for (uint32_t i = 0; i < stride; i += GJK_LANES) {
        const lanes at = dot(lanes_all(d.x), lanes_all(d.y), lanes_load(x + i), lanes_load(y + i));
        least = lanes_smaller(at, least);
        most = lanes_larger(at, most);
    }
    *low = lanes_least(least);
    *high = lanes_largest(most);
}

LANES_INLINE gjk_entry2 enter_edges(const gjk_frame2 *f, gjk_vec2 d, double radius, double rounding,
                                    gjk_turned2 *b) {
    const double *x = f->a->columns, *y = x + f->a->stride, *edges = gjk_edges_of(f->a);
    const uint32_t stride_a = gjk_has_edges(f->a) ? f->a->stride : 0;
    const uint32_t stride_b = gjk_has_edges(f->b) ? f->b->stride : 0;
    const lanes none = lanes_all(-INFINITY), dx = lanes_all(d.x), dy = lanes_all(d.y);
    const lanes ball = lanes_all(radius);
    entries all = {none, lanes_all(0.0), none, 0};
    turn(f, b);
    for (uint32_t i = 0; i < stride_a; i += GJK_LANES) {
        const double *nx = edges + i, *ny = nx + stride_a;
        const lanes gap = find_gaps(nx, ny, ny + stride_a, b->x, b->y, f->b->count);
        const lanes rate = lanes_sub(lanes_all(0.0), dot(dx, dy, lanes_load(nx), lanes_load(ny)));
        enter_block(&all, lanes_sub(gap, ball), rate, rounding, i);
    }
    for (uint32_t i = 0; i < stride_b; i += GJK_LANES) {
        const double *nx = b->normal_x + i, *ny = b->normal_y + i;
        const lanes gap = find_gaps(nx, ny, b->offset + i, x, y, f->a->count);
        const lanes rate = dot(dx, dy, lanes_load(nx), lanes_load(ny));
        enter_block(&all, lanes_sub(gap, ball), rate, rounding, GJK_EDGES_MAX + i);
    }
    const gjk_vec2 left = {-d.y, d.x};
    lanes low_a, high_a, low_b, high_b;
    find_extent(x, y, f->a->stride, left, &low_a, &high_a);
    find_extent(b->x, b->y, f->b->stride, left, &low_b, &high_b);
    const uint32_t least = first_of_largest(all.t, all.block);
    return (gjk_entry2){
        .t = lanes_first(lanes_largest(all.t)),
        .widest = lanes_first(lanes_largest(all.widest)),
        .low = lanes_first(lanes_sub(low_a, high_b)),
        .high = lanes_first(lanes_sub(high_a, low_b)),
        .edge = least % GJK_EDGES_MAX,
        .of_b = least >= GJK_EDGES_MAX,
        .recedes = all.recede != 0,
    };
}

gjk_scan_edges *const LANES_FORM(gjk_scan_edges) = scan_edges;
gjk_enter_edges *const LANES_FORM(gjk_enter_edges) = enter_edges;
