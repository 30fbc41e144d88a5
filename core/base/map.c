/*
 * Look-ups by key and by rank in a B+-tree whose inner nodes count the items of each child.
 */

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

typedef struct gjk_map_node node;

void gjk_map_node_release(const gjk_map *map, const node *shared) {
    if (!gjk_references_drop(&shared->references)) {
        return;
    }
    for (uint32_t i = 0; i < shared->count; i++) {
        if (shared->height > 0) {
            gjk_map_node_release(map, shared->slots[i]);
        } else if (map->kind->release != NULL) {
            map->kind->release(map->context, shared->slots[i]);
        }
    }
    free((node *)shared);
}

gjk_map gjk_map_retain(const gjk_map *map) {
    if (map->root != NULL) {
        (void)gjk_map_node_retain(map->root);
    }
    return *map;
}

void gjk_map_release(const gjk_map *map) {
    if (map->root != NULL) {
        gjk_map_node_release(map, map->root);
    }
}

uint32_t gjk_map_count(const gjk_map *map) {
    return map->root != NULL ? map->root->size : 0;
}

size_t gjk_map_bytes(const gjk_map *map) {
    return map->root != NULL ? map->root->bytes : 0;
}

const void *gjk_map_at(const gjk_map *map, uint32_t rank) {
    GJK_ASSERT(rank < gjk_map_count(map));
    const node *at = map->root;
    while (at->height > 0) {
        const uint32_t *ends = gjk_map_ends(at);
        uint32_t i = 0;
        while (ends[i] <= rank) {
            i++;
        }
        rank -= i > 0 ? ends[i - 1] : 0;
        at = gjk_map_child(at, i);
    }
    return at->slots[rank];
}

/* Writes all items from rank `first` on, at most count; returns how many. */
static uint32_t list_items(const node *at, uint32_t first, uint32_t count, const void **out) {
    if (at->height == 0) {
        uint32_t some = at->count - first < count ? at->count - first : count;
        memcpy(out, at->slots + first, some * sizeof out[0]);
        return some;
    }
    uint32_t done = 0;
    for (uint32_t i = 0; i < at->count && done < count; i++) {
        uint32_t start = i > 0 ? gjk_map_ends(at)[i - 1] : 0;
        if (gjk_map_ends(at)[i] > first) {
            uint32_t skip = first > start ? first - start : 0;
            done += list_items(gjk_map_child(at, i), skip, count - done, out + done);
        }
    }
    return done;
}

void gjk_map_list(const gjk_map *map, uint32_t first, uint32_t count, const void **out) {
    GJK_ASSERT(first <= gjk_map_count(map) && count <= gjk_map_count(map) - first);
    if (count > 0) {
        (void)list_items(map->root, first, count, out);
    }
}

/* How many slots of a node begin with keys not above this one. */
static uint32_t slots_up_to(const gjk_map *map, const node *at, const void *key) {
    uint32_t low = 0, high = at->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const void *item = at->height > 0 ? gjk_map_child(at, middle)->least : at->slots[middle];
        if (map->kind->compare(key, item) >= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t gjk_map_rank(const gjk_map *map, const void *key) {
    uint32_t rank = 0;
    for (const node *at = map->root; at != NULL;) {
        uint32_t slots = slots_up_to(map, at, key);
        if (at->height == 0 || slots == 0) {
            return rank + slots;
        }
        rank += slots > 1 ? gjk_map_ends(at)[slots - 2] : 0;
        at = gjk_map_child(at, slots - 1);
    }
    return rank;
}

const void *gjk_map_find(const gjk_map *map, const void *key) {
    for (const node *at = map->root; at != NULL;) {
        uint32_t slots = slots_up_to(map, at, key);
        if (slots == 0) {
            return NULL;
        }
        const void *slot = at->slots[slots - 1];
        if (at->height == 0) {
            return map->kind->compare(key, slot) == 0 ? slot : NULL;
        }
        at = slot;
    }
    return NULL;
}
