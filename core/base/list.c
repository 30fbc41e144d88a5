/* A growing array that doubles its capacity, and a binary heap (Williams, Algorithm 232, 1964) on
 * it, which keeps the first items of an order by dropping the last. */

#include "base/list.h"

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

bool gjk_list_add(gjk_list *list, const void *item) {
    void *place = gjk_list_push(list);
    if (place != NULL) {
        memcpy(place, item, list->item_size);
    }
    return place != NULL;
}

gjk_status gjk_list_sort(gjk_list *list, gjk_sort_order order) {
    return gjk_sort(list->arena, list->items, list->count, list->item_size, order);
}

static char *item_at(const gjk_list *list, uint32_t i) {
    return list->items + (size_t)i * list->item_size;
}

/* Sifts the item down from the hole at i: the larger child moves up until the item fits. */
static void sink(gjk_list *list, gjk_sort_order order, uint32_t i, const void *item) {
    while (i < list->count / 2) {
        uint32_t below = 2 * i + 1;
        below +=
            below + 1 < list->count && order(item_at(list, below), item_at(list, below + 1)) < 0;
        if (order(item, item_at(list, below)) >= 0) {
            break;
        }
        memcpy(item_at(list, i), item_at(list, below), list->item_size);
        i = below;
    }
    memcpy(item_at(list, i), item, list->item_size);
}

bool gjk_list_insert(gjk_list *list, gjk_sort_order order, const void *item) {
    if (gjk_list_push(list) == NULL) {
        return false;
    }
    uint32_t hole = list->count - 1; /* the item sifts up from here */
    for (; hole > 0 && order(item_at(list, (hole - 1) / 2), item) < 0; hole = (hole - 1) / 2) {
        memcpy(item_at(list, hole), item_at(list, (hole - 1) / 2), list->item_size);
    }
    memcpy(item_at(list, hole), item, list->item_size);
    return true;
}

/* Exchanges the first item with the last in order. */
static void bring_last_to_front(gjk_list *list, gjk_sort_order order) {
    char item[GJK_LIST_ITEM_BYTES_MAX];
    uint32_t last = 0;
    for (uint32_t i = 1; i < list->count; i++) {
        last = order(item_at(list, last), item_at(list, i)) < 0 ? i : last;
    }
    if (last > 0) {
        memcpy(item, list->items, list->item_size);
        memcpy(list->items, item_at(list, last), list->item_size);
        memcpy(item_at(list, last), item, list->item_size);
    }
}

/* The list becomes a heap only when an item is dropped: until then items keep the order in which
 * they were offered, which is often nearly sorted, and none moves. */
bool gjk_list_offer(gjk_list *list, uint32_t limit, gjk_sort_order order, const void *item) {
    if (list->count < limit) {
        char *place = gjk_list_push(list);
        if (place == NULL) {
            return false;
        }
        memcpy(place, item, list->item_size);
        if (list->count == limit) {
            bring_last_to_front(list, order);
        }
        return true;
    }
    if (!list->truncated) {
        gjk_list_heap(list, order);
        list->truncated = true;
    }
    if (order(item, list->items) < 0) {
        sink(list, order, 0, item);
    }
    return true;
}

void gjk_list_heap(gjk_list *list, gjk_sort_order order) {
    char item[GJK_LIST_ITEM_BYTES_MAX];
    for (uint32_t i = list->count / 2; i-- > 0;) {
        memcpy(item, item_at(list, i), list->item_size);
        sink(list, order, i, item);
    }
}

void gjk_list_take_last(gjk_list *list, gjk_sort_order order, void *item) {
    char moved[GJK_LIST_ITEM_BYTES_MAX];
    GJK_CHECK(list->count > 0);
    memcpy(item, list->items, list->item_size);
    memcpy(moved, item_at(list, --list->count), list->item_size);
    if (list->count > 0) {
        sink(list, order, 0, moved);
    }
}
