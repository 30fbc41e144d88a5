#ifndef GJK_LIST_H
#define GJK_LIST_H

#include "gjk/arena.h"

/* A growing array in an arena; blocks it outgrew stay there until the arena goes. */
typedef struct gjk_list {
    struct gjk_arena *arena;
    char *items;
    size_t item_size;
    uint32_t count, capacity;
    bool truncated; /* gjk_list_keep dropped items */
} gjk_list;

static inline gjk_list gjk_list_make(struct gjk_arena *arena, size_t item_size) {
    return (gjk_list){.arena = arena, .item_size = item_size};
}

/* A new last item, not initialised, or NULL when memory runs out. */
void *gjk_list_push(gjk_list *list) GJK_MUST_USE;

typedef int (*gjk_list_order)(const void *a, const void *b);

/* Sorts by a total order and keeps the first `limit` items. */
void gjk_list_keep(gjk_list *list, uint32_t limit, gjk_list_order order);

/*
 * Pushes room for an item of which only the first `limit` of the order matter: the
 * list is cut whenever it has grown to twice the limit, so memory stays bounded
 * and the cost a push O(log limit) on average.
 */
void *gjk_list_push_ranked(gjk_list *list, uint32_t limit, gjk_list_order order) GJK_MUST_USE;

#endif
