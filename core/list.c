/*
 * How do answers pile up whose number nobody knows? In an array that doubles; where
 * only the first of an order matter, it is sorted and cut now and then.
 */

#include "list.h"

#include <stdlib.h>
#include <string.h>

void *gjk_list_push(gjk_list *list) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        char *items = gjk_arena_alloc_array(list->arena, capacity, list->item_size);
        if (items == NULL) {
            return NULL;
        }
        if (list->count > 0) {
            memcpy(items, list->items, (size_t)list->count * list->item_size);
        }
        list->items = items;
        list->capacity = capacity;
    }
    return list->items + (size_t)list->count++ * list->item_size;
}

void gjk_list_keep(gjk_list *list, uint32_t limit, gjk_list_order order) {
    if (list->count > 1) {
        qsort(list->items, list->count, list->item_size, order);
    }
    if (list->count > limit) {
        list->count = limit;
        list->truncated = true;
    }
}

void *gjk_list_push_ranked(gjk_list *list, uint32_t limit, gjk_list_order order) {
    if (list->count / 2 >= limit && list->count >= 16) {
        gjk_list_keep(list, limit, order);
    }
    return gjk_list_push(list);
}
