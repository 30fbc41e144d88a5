#ifndef GJK_BASE_MAP_H
#define GJK_BASE_MAP_H

/*
 * An ordered map whose versions share what they have in common. Values point to items, which
 * carry their own keys and are immutable. A map may be read by any number of threads; versions
 * of it may be made and released on any.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/references.h"
#include "gjk/base.h"

/* Operations on the items of a map. context is the map's own. */
typedef struct gjk_map_kind {
    const void *(*key)(const void *item);
    int (*compare)(const void *key, const void *item); /* a total order, as strcmp */
    /* Called whenever a node that holds the item is made or freed. NULL, both: borrowed. */
    void (*retain)(const void *context, const void *item);
    void (*release)(const void *context, const void *item);
} gjk_map_kind;

struct gjk_map_node;

typedef struct gjk_map {
    const gjk_map_kind *kind;
    const void *context;
    const struct gjk_map_node *root; /* NULL: empty */
    size_t added_bytes; /* memory not shared with the map that this one was made from */
} gjk_map;

/* Inserts an item or replaces the one with the same key; NULL: removes it. */
typedef struct gjk_map_edit {
    const void *key;
    const void *item;
} gjk_map_edit;

static inline gjk_map gjk_map_make(const gjk_map_kind *kind, const void *context) {
    return (gjk_map){.kind = kind, .context = context};
}

/* The map that this one becomes by the edits, which stand in the order of keys, each key once. *out
 * is the caller's, to be released. O(edits * log n) in time and in memory not shared.
 * OUT_OF_MEMORY: nothing has changed. */
gjk_status gjk_map_edit_all(const gjk_map *map, const gjk_map_edit *edits, uint32_t count,
                            gjk_map *out) GJK_MUST_USE;

/* A reference for the caller. */
gjk_map gjk_map_retain(const gjk_map *map) GJK_MUST_USE;
void gjk_map_release(const gjk_map *map);

uint32_t gjk_map_count(const gjk_map *map);

/* The item of that rank, 0 the least. rank < count. O(log n). */
const void *gjk_map_at(const gjk_map *map, uint32_t rank);

/* The items of ranks first, first + 1, ..., as many as `count` says. O(log n + count). */
void gjk_map_list(const gjk_map *map, uint32_t first, uint32_t count, const void **out);

/* The item with that key, or NULL. O(log n). */
const void *gjk_map_find(const gjk_map *map, const void *key);

/* The place of the item that a search has found last; at first {0}. Valid while the map is. */
typedef struct gjk_map_finger {
    const struct gjk_map_node *leaf;
    uint32_t at;
} gjk_map_finger;

/* Finds an item as gjk_map_find does, and leaves the finger there. The item that follows the finger's
 * is found in one step, unless another node begins with it. */
const void *gjk_map_find_from(const gjk_map *map, gjk_map_finger *finger, const void *key);

/* Returns how many items have this key or a lesser one. O(log n). */
uint32_t gjk_map_rank(const gjk_map *map, const void *key);

/* Calls visit for each key, in order, whose item differs between the two, NULL standing for no
 * item. Of one kind. O(differences * log n) where one was made from the other by a few edits. */
typedef void (*gjk_map_visitor)(void *user, const void *old, const void *new);
void gjk_map_diff(const gjk_map *from, const gjk_map *to, gjk_map_visitor visit, void *user);

/* The memory of its nodes, as if it shared none. O(1). */
size_t gjk_map_bytes(const gjk_map *map);

/* --- The nodes, for the files of the map alone: immutable, shared by any number of versions --- */

struct gjk_map_node {
    gjk_references references;
    uint16_t count;      /* of slots */
    uint16_t height;     /* 0: the slots are items, else nodes of one height less */
    uint32_t size;       /* items in all */
    size_t bytes;        /* memory, nodes below included */
    const void *least;   /* the first item of all */
    const void *slots[]; /* behind them, in inner nodes: gjk_map_ends */
};

static inline const struct gjk_map_node *gjk_map_child(const struct gjk_map_node *parent,
                                                       uint32_t i) {
    return parent->slots[i];
}

static inline const struct gjk_map_node *gjk_map_node_retain(const struct gjk_map_node *shared) {
    gjk_references_add(&shared->references);
    return shared;
}

/* Returns an array: for each child of an inner node the number of items in it and the children
 * before it. */
static inline uint32_t *gjk_map_ends(const struct gjk_map_node *parent) {
    return (uint32_t *)(void *)(((struct gjk_map_node *)parent)->slots + parent->count);
}

/* Frees a node, its items and what is below it, where nobody else refers to it. */
void gjk_map_node_release(const gjk_map *map, const struct gjk_map_node *shared);

#endif
