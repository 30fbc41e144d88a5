#ifndef GJK_SHAPE_REGION_FUNNEL_H
#define GJK_SHAPE_REGION_FUNNEL_H

/* Cuts polygons that are monotone along x into triangles while a sweep tells their vertices. */

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

typedef struct gjk_funnel_entry {
    uint32_t point, before;
} gjk_funnel_entry;

/* Where funnels live and their triangles go. The caller makes the arrays large enough. */
typedef struct gjk_funnels {
    const gjk_vec2 *points;
    gjk_funnel_entry *entries;
    uint32_t entry_count, entry_capacity;
    uint32_t (*triangles)[3]; /* points, counter-clockwise, none without area */
    uint32_t triangle_count, triangle_capacity;
} gjk_funnels;

static inline gjk_funnel gjk_funnel_none(void) {
    return (gjk_funnel){GJK_NO_ENTRY, false};
}
static inline bool gjk_funnel_exists(const gjk_funnel *funnel) {
    return funnel->top != GJK_NO_ENTRY;
}

/* A polygon that starts at a point. */
gjk_funnel gjk_funnel_start(gjk_funnels *funnels, uint32_t point);

/* The next vertex of the polygon, on its upper or lower side. O(1) amortised. */
void gjk_funnel_add(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point, bool upper);

/* The last vertex of the polygon. */
void gjk_funnel_close(gjk_funnels *funnels, gjk_funnel *funnel, uint32_t point);

/*
 * A diagonal from the polygon's newest vertex to a point inside: the part below it, to which the
 * point is to be added as upper, and the part above it, where it is lower.
 */
void gjk_funnel_fork(gjk_funnels *funnels, const gjk_funnel *funnel, gjk_funnel *lower,
                     gjk_funnel *upper);

#endif
