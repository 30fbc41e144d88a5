#ifndef GJK_SORT_H
#define GJK_SORT_H

/* Sorting that takes O(n log n) whatever is sorted, and can be given up. */

#include "gjk/arena.h"

GJK_BEGIN

/* A total order, as of qsort. */
typedef int (*gjk_sort_order)(const void *a, const void *b);

/* Sorts items by merging; equal ones stay in their order. Memory for fewer than count items is
 * taken from the arena and given back. OUT_OF_MEMORY; GIVEN_UP where the arena's budget is spent.
 * Then the items are all there, in no particular order. */
gjk_status gjk_sort(struct gjk_arena *arena, void *items, size_t count, size_t item_size,
                    gjk_sort_order order) GJK_MUST_USE;

GJK_END

#endif
