#ifndef GJK_BASE_LIST_H
#define GJK_BASE_LIST_H

#include "gjk/sort.h"

/* Largest size of an item: heaps hold one on the stack. */
#define GJK_LIST_ITEM_BYTES_MAX 256

/* A growing array in an arena; outgrown blocks are freed with the arena. */
typedef struct gjk_list {
    struct gjk_arena *arena;
    char *items;
    size_t item_size;
    uint32_t count, capacity;
    bool truncated; /* gjk_list_offer has dropped items */
} gjk_list;

static inline gjk_list gjk_list_make(struct gjk_arena *arena, size_t item_size) {
    GJK_CHECK(item_size <= GJK_LIST_ITEM_BYTES_MAX);
    return (gjk_list){.arena = arena, .item_size = item_size};
}

/* Appends an item, uninitialised, and returns it, or NULL if memory is exhausted. */
void *gjk_list_push(gjk_list *list) GJK_MUST_USE;

/* Appends a copy of an item. Returns false if memory is exhausted. */
bool gjk_list_add(gjk_list *list, const void *item) GJK_MUST_USE;

/* Sorts the list as gjk_sort does, in the list's arena. */
gjk_status gjk_list_sort(gjk_list *list, gjk_sort_order order) GJK_MUST_USE;

/* Keeps the first `limit` >= 1 of all items offered: a full list has its last item at the front,
 * and replaces it by one that comes before it. Returns false if memory is exhausted. O(log limit)
 * amortized. */
bool gjk_list_offer(gjk_list *list, uint32_t limit, gjk_sort_order order,
                    const void *item) GJK_MUST_USE;

/* Adds an item to a heap with its last item at the front. Returns false if memory is exhausted.
 * O(log count). */
bool gjk_list_insert(gjk_list *list, gjk_sort_order order, const void *item) GJK_MUST_USE;

/* Makes the list a heap with its last item at the front. O(count). */
void gjk_list_heap(gjk_list *list, gjk_sort_order order);

/* Removes the last item of a non-empty heap. O(log count). */
void gjk_list_take_last(gjk_list *list, gjk_sort_order order, void *item);

#endif
