#ifndef GJK_BASE_MAP_H
#define GJK_BASE_MAP_H

/*
 * A persistent ordered map: versions share their common nodes. Values are pointers to immutable
 * items that contain their keys. Any number of threads may read a map; versions may be made and
 * released on any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/references.h"
#include "gjk/base.h"

/* Operations on the items of a map. `context` is the map's. */
typedef struct gjk_map_kind {
    const void *(*key)(const void *item);
    int (*compare)(const void *key, const void *item); /* a total order, like strcmp */
    /* Called when a node that holds the item is made or freed. Both NULL: items are borrowed. */
    void (*retain)(const void *context, const void *item);
    void (*release)(const void *context, const void *item);
} gjk_map_kind;

struct gjk_map_node;

typedef struct gjk_map {
    const gjk_map_kind *kind;
    const void *context;
    const struct gjk_map_node *root; /* NULL: empty */
    size_t added_bytes;              /* memory not shared with the previous version */
} gjk_map;

/* Inserts an item, replacing one with the same key, or removes it if `item` is NULL. */
typedef struct gjk_map_edit {
    const void *key;
    const void *item;
} gjk_map_edit;

static inline gjk_map gjk_map_make(const gjk_map_kind *kind, const void *context) {
    return (gjk_map){.kind = kind, .context = context};
}

/* Makes a new version by applying the edits, in the order of keys, each key once. The caller
 * releases *out. O(edits * log n) time and unshared memory. OUT_OF_MEMORY: nothing has changed. */
gjk_status gjk_map_edit_all(const gjk_map *map, const gjk_map_edit *edits, uint32_t count,
                            gjk_map *out) GJK_MUST_USE;

/* Returns a new reference, owned by the caller. */
gjk_map gjk_map_retain(const gjk_map *map) GJK_MUST_USE;
void gjk_map_release(const gjk_map *map);

uint32_t gjk_map_count(const gjk_map *map);

/* Returns the item of rank < count, 0 being the first. O(log n). */
const void *gjk_map_at(const gjk_map *map, uint32_t rank);

/* Writes the `count` items of ranks first, first + 1, ... O(log n + count). */
void gjk_map_list(const gjk_map *map, uint32_t first, uint32_t count, const void **out);

/* Returns the item with that key, or NULL. O(log n). */
const void *gjk_map_find(const gjk_map *map, const void *key);

/* Position of the last item found, initially {0}. Valid while the map is. */
typedef struct gjk_map_finger {
    const struct gjk_map_node *leaf;
    uint32_t at;
} gjk_map_finger;

/* Finds an item as gjk_map_find does and moves the finger to it. The item after the finger is found
 * in one step, unless it is the first of another node. */
const void *gjk_map_find_from(const gjk_map *map, gjk_map_finger *finger, const void *key);

/* Returns the number of items with this key or a lesser one. O(log n). */
uint32_t gjk_map_rank(const gjk_map *map, const void *key);

/* Calls visit for each key, in order, whose item differs between two maps of one kind; NULL means
 * no item. O(differences * log n) if one was made from the other by a few edits. */
typedef void (*gjk_map_visitor)(void *user, const void *old, const void *new);
void gjk_map_diff(const gjk_map *from, const gjk_map *to, gjk_map_visitor visit, void *user);

/* Returns the memory of the map's nodes, shared ones included. O(1). */
size_t gjk_map_bytes(const gjk_map *map);

#endif
