#ifndef GJK_SORT_H
#define GJK_SORT_H

/* Sorting in O(n log n) for any input, interruptible by a budget. */

#include "gjk/arena.h"

GJK_BEGIN

/* A total order, as for qsort. */
typedef int (*gjk_sort_order)(const void *a, const void *b);

/* Sorts items by merging; stable. Temporarily takes memory for fewer than count items from the
 * arena. OUT_OF_MEMORY; GIVEN_UP if the arena's budget is spent: the items are then all present, in
 * no particular order. */
gjk_status gjk_sort(struct gjk_arena *arena, void *items, size_t count, size_t item_size,
                    gjk_sort_order order) GJK_MUST_USE;

GJK_END

#endif
