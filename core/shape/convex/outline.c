/*
 * Checks whether a closed line is the outline of a convex polygon.
 *
 * First, vertices that do not turn the right way but are within the slack of their neighbours'
 * chord are dropped one by one, so that many of them cannot hide a dent; this also drops duplicates
 * and collinear vertices. The rest must turn strictly left (right for the other winding) at every
 * vertex, by exact signs, and go round only once, because a star also turns to one side everywhere.
 * The line goes round once if its edges change only once from pointing down to pointing up.
 */

#include "shape/convex/hull.h"

#include "base/predicate.h"

typedef struct outline {
    const gjk_vec2 *points;
    gjk_vec2 *scaled; /* by a power of two, so that squares neither overflow nor underflow */
    uint32_t *next, *previous;
    uint32_t first; /* a vertex that has not been dropped */
    uint32_t count; /* vertices not dropped yet */
    int winding;    /* 1: counter-clockwise; -1: clockwise */
    double slack;   /* in the unit of `scaled` */
} outline;

/* Computes the scaled points and the slack. */
static void measure_outline(outline *o) {
    gjk_vec2 low = o->points[0], high = low;
    int exponent;

    for (uint32_t i = 1; i < o->count; i++) {
        gjk_vec2 p = o->points[i];
        low = (gjk_vec2){fmin(low.x, p.x), fmin(low.y, p.y)};
        high = (gjk_vec2){fmax(high.x, p.x), fmax(high.y, p.y)};
    }
    frexp(fmax(fmax(-low.x, high.x), fmax(-low.y, high.y)), &exponent);
    for (uint32_t i = 0; i < o->count; i++) {
        gjk_vec2 p = o->points[i];
        o->scaled[i] = (gjk_vec2){ldexp(p.x, -exponent), ldexp(p.y, -exponent)};
    }
    double size = fmax(high.x - low.x, high.y - low.y);
    o->slack = GJK_OUTLINE_SLACK * ldexp(size, -exponent);
}

/* Returns the winding of the line, from the order in which it visits three corners of the hull far
 * apart (near ones may be swapped within the slack). */
static int find_winding(const outline *o, const gjk_hull2 *hull) {
    const gjk_vec2 *s = o->scaled;
    uint32_t a = hull->corners[0], b = a, c = a;
    double farthest = -1;

    for (uint32_t i = 1; i < hull->count; i++) {
        gjk_vec2 d = gjk_sub2(s[hull->corners[i]], s[a]);
        if (gjk_dot2(d, d) > farthest) {
            farthest = gjk_dot2(d, d);
            b = hull->corners[i];
        }
    }
    farthest = -1;
    for (uint32_t i = 1; i < hull->count; i++) {
        uint32_t corner = hull->corners[i];
        double area = fabs(gjk_cross2(gjk_sub2(s[b], s[a]), gjk_sub2(s[corner], s[a])));
        if (corner != b && area > farthest) {
            farthest = area;
            c = corner;
        }
    }
    bool in_order = (a < b) + (b < c) + (c < a) == 2;
    int side = gjk_orient2_sign(o->points[a], o->points[b], o->points[c]);
    return in_order ? side : -side;
}

static double segment_distance(gjk_vec2 p, gjk_vec2 a, gjk_vec2 b) {
    gjk_vec2 along = gjk_sub2(b, a), from_a = gjk_sub2(p, a);
    double t = gjk_dot2(from_a, along), square = gjk_dot2(along, along);
    if (t <= 0) {
        return gjk_length2(from_a);
    }
    if (t >= square) {
        return gjk_length2(gjk_sub2(p, b));
    }
    return fabs(gjk_cross2(along, from_a)) / sqrt(square);
}

static bool turns_inward(const outline *o, uint32_t v) {
    const gjk_vec2 *p = o->points;
    return o->winding * gjk_orient2_sign(p[o->previous[v]], p[v], p[o->next[v]]) > 0;
}

/* Drops vertices that count as collinear, and checks a vertex again when a neighbour is dropped.
 * `settled` counts the vertices before v that are known not to be collinear. Each step raises it or
 * drops a vertex, so there are at most 3 n steps. */
static void drop_collinear(outline *o) {
    uint32_t v = o->first, settled = 0;
    while (settled < o->count && o->count >= 3) {
        const gjk_vec2 *s = o->scaled;
        if (turns_inward(o, v) ||
            segment_distance(s[v], s[o->previous[v]], s[o->next[v]]) > o->slack) {
            v = o->next[v];
            settled++;
            continue;
        }
        uint32_t before = o->previous[v], after = o->next[v];
        o->next[before] = after;
        o->previous[after] = before;
        o->first = v == o->first ? after : o->first;
        o->count--;
        /* Both neighbours must be checked again: the one before v, and the one after it if the
         * settled vertices reach round to it. */
        v = before;
        settled = settled > 0 ? settled - 1 : 0;
        settled = settled > o->count - 2 ? o->count - 2 : settled;
    }
}

/* Returns true if the edge from a to b points up (or along +x). */
static bool points_up(gjk_vec2 a, gjk_vec2 b) {
    return b.y > a.y || (b.y == a.y && b.x > a.x);
}

/* Reverses the winding if no vertex turns inward: then the line is a star that visits the three
 * corners in another order. */
static void correct_winding(outline *o) {
    uint32_t v = o->first;
    for (uint32_t i = 0; i < o->count; i++, v = o->next[v]) {
        if (turns_inward(o, v)) {
            return;
        }
    }
    o->winding = -o->winding;
}

/* Finds the first vertex, in the given order, that breaks the rules. Rounds are only counted if no
 * vertex is concave; otherwise their number means nothing. */
static bool find_bad(const outline *o, uint32_t *bad_vertex) {
    const gjk_vec2 *p = o->points;
    uint32_t v = o->first, rounds = 0;

    for (uint32_t i = 0; i < o->count; i++, v = o->next[v]) {
        if (!turns_inward(o, v)) {
            *bad_vertex = v;
            return true;
        }
    }
    for (uint32_t i = 0; i < o->count; i++, v = o->next[v]) {
        bool up_before = points_up(p[o->previous[v]], p[v]);
        rounds += !up_before && points_up(p[v], p[o->next[v]]);
        if (rounds > 1) {
            *bad_vertex = v;
            return true;
        }
    }
    return false;
}

gjk_status gjk_outline_check(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                             const gjk_hull2 *hull, uint32_t *bad_vertex) {
    GJK_ASSERT(count >= 3);
    outline o = {.points = vertices, .count = count};
    if (hull->count < 3) {
        *bad_vertex = 0;
        return GJK_NOT_CONVEX;
    }
    o.scaled = gjk_arena_alloc_array(arena, count, sizeof *o.scaled);
    o.next = gjk_arena_alloc_array(arena, count, sizeof *o.next);
    o.previous = gjk_arena_alloc_array(arena, count, sizeof *o.previous);
    if (o.scaled == NULL || o.next == NULL || o.previous == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        o.next[i] = i + 1 < count ? i + 1 : 0;
        o.previous[i] = i > 0 ? i - 1 : count - 1;
    }
    measure_outline(&o);
    o.winding = find_winding(&o, hull);
    drop_collinear(&o);
    if (o.count < 3) {
        *bad_vertex = 0;
        return GJK_NOT_CONVEX;
    }
    correct_winding(&o);
    return find_bad(&o, bad_vertex) ? GJK_NOT_CONVEX : GJK_OK;
}
