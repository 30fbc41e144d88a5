/*
 * Convex hull of points in the plane, by Andrew's monotone chain (Another efficient algorithm for
 * convex hulls in two dimensions, 1979): the points are sorted by x, then y; one pass builds the
 * lower side, a second one back the upper side. Each drops points at which the chain does not turn
 * strictly left. Turns are exact signs, so the result is strictly convex for any input.
 */

#include "shape/convex/hull.h"

#include "base/numbers.h"
#include "base/predicate.h"
#include "gjk/budget.h"
#include "gjk/sort.h"

typedef struct entry {
    gjk_vec2 point;
    uint32_t index;
} entry;

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = GJK_COMPARE(a->point.x, b->point.x);
    if (order == 0) {
        order = GJK_COMPARE(a->point.y, b->point.y);
    }
    return order != 0 ? order : GJK_COMPARE(a->index, b->index);
}

/* Keeps the first of equal points among sorted entries. Returns the number kept. */
static uint32_t keep_distinct(entry *entries, uint32_t count) {
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++) {
        const gjk_vec2 p = entries[i].point, q = entries[kept - 1].point;
        if (p.x != q.x || p.y != q.y) {
            entries[kept++] = entries[i];
        }
    }
    return kept;
}

/* Appends entry `next` to the chain, after dropping entries at which the chain would not turn left.
 * The first `floor` links stay. Returns the length of the chain. */
static uint32_t push(const entry *entries, uint32_t *chain, uint32_t length, uint32_t floor,
                     uint32_t next) {
    while (length >= floor + 2 &&
           gjk_orient2_sign(entries[chain[length - 2]].point, entries[chain[length - 1]].point,
                            entries[next].point) <= 0) {
        length--;
    }
    chain[length] = next;
    return length + 1;
}

gjk_status gjk_hull2_make(struct gjk_arena *arena, const gjk_vec3 *points, uint32_t count, int axis,
                          gjk_hull2 *out) {
    GJK_ASSERT(count >= 1);
    entry *entries = gjk_arena_alloc_array(arena, count, sizeof *entries);
    /* The lower and the upper side share their ends; the first point is in the chain twice. */
    uint32_t *chain = gjk_arena_alloc_array(arena, (size_t)count + 1, sizeof *chain);
    if (entries == NULL || chain == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (entry){gjk_seen_along(points[i], axis), i};
    }
    gjk_status status = gjk_sort(arena, entries, count, sizeof *entries, compare_entries);
    if (status != GJK_OK) {
        return status;
    }
    uint32_t distinct = keep_distinct(entries, count);
    gjk_budget *budget = arena->budget;
    uint32_t length = 0;
    for (uint32_t i = 0; i < distinct && !gjk_budget_spend(budget, 2); i++) {
        length = push(entries, chain, length, 0, i);
    }
    uint32_t floor = length > 0 ? length - 1 : 0;
    for (uint32_t i = distinct - 1; i-- > 0 && !gjk_budget_spend(budget, 2);) {
        length = push(entries, chain, length, floor, i);
    }
    if (gjk_budget_is_spent(budget)) {
        return GJK_GIVEN_UP;
    }
    if (distinct > 1) {
        length--; /* the first point is also the last link */
    }
    for (uint32_t i = 0; i < length; i++) {
        chain[i] = entries[chain[i]].index;
    }
    *out = (gjk_hull2){chain, length};
    return GJK_OK;
}
