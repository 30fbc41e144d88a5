/*
 * Triangulation of monotone polygons with a stack (Garey, Johnson, Preparata, Tarjan, Triangulating
 * a simple polygon, 1978; de Berg and others, Computational Geometry, section 3.3), for many
 * polygons at a time: the stacks are lists in one array of entries.
 *
 * No triangle is without area. Along a side that takes an exact turn. Across, the new vertex sees
 * the whole chain: the edge or diagonal on its side starts where the chain does, and the chain
 * turns away from it from the first step on, as no vertex lies on an edge.
 */

#include "shape/region/funnel.h"

#include "base/predicate.h"
#include "gjk/base.h"

static void push(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    GJK_ASSERT(funnels->entry_count < funnels->entry_capacity);
    funnels->entries[funnels->entry_count] = (gjk_funnel_entry){point, funnel->top};
    funnel->top = funnels->entry_count++;
}

/* The triangle of the chain's two last vertices and a point to their right. */
static void add_triangle(gjk_funnels *funnels, const gjk_funnel *funnel, uint32_t point,
                         bool point_above) {
    const gjk_funnel_entry *last = &funnels->entries[funnel->top];
    const uint32_t from = funnels->entries[last->before].point;
    GJK_ASSERT(funnels->triangle_count < funnels->triangle_capacity);
    uint32_t *triangle = funnels->triangles[funnels->triangle_count++];
    triangle[0] = point_above ? from : last->point;
    triangle[1] = point_above ? last->point : from;
    triangle[2] = point;
}

/* All triangles between the chain and a point on the other side. */
static void clear_chain(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    while (funnels->entries[funnel->top].before != GJK_NO_ENTRY) {
        add_triangle(funnels, funnel, point, !funnel->upper);
        funnel->top = funnels->entries[funnel->top].before;
    }
}

/* Those between the end of the chain and a point on the same side that sees it. */
static void clear_corner(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    const gjk_vec2 *p = funnels->points;
    for (;;) {
        const gjk_funnel_entry *last = &funnels->entries[funnel->top];
        if (last->before == GJK_NO_ENTRY) {
            return;
        }
        const gjk_funnel_entry *before = &funnels->entries[last->before];
        const int turn = gjk_orient2_sign(p[before->point], p[last->point], p[point]);
        if (turn != (funnel->upper ? -1 : 1)) {
            return;
        }
        add_triangle(funnels, funnel, point, !funnel->upper);
        funnel->top = last->before;
    }
}

gjk_funnel gjk_funnel_start(gjk_funnels *funnels, uint32_t point) {
    gjk_funnel funnel = gjk_funnel_none();
    push(funnels, &funnel, point);
    return funnel;
}

void gjk_funnel_add(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point, bool upper) {
    const uint32_t top = funnel->top;
    if (upper == funnel->upper) {
        clear_corner(funnels, funnel, point);
    } else {
        clear_chain(funnels, funnel, point);
        funnels->entries[top].before = GJK_NO_ENTRY;
        *funnel = (gjk_funnel){top, upper};
    }
    push(funnels, funnel, point);
}

void gjk_funnel_close(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point) {
    clear_chain(funnels, funnel, point);
    *funnel = gjk_funnel_none();
}

void gjk_funnel_fork(gjk_funnels *funnels, const gjk_funnel *funnel, gjk_funnel *lower,
                     gjk_funnel *upper) {
    const gjk_funnel whole = *funnel;
    const gjk_funnel fresh = gjk_funnel_start(funnels, funnels->entries[whole.top].point);
    *lower = whole.upper ? whole : fresh;
    *upper = whole.upper ? fresh : whole;
}
