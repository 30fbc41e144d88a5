#ifndef GJK_BASE_MAP_NODE_H
#define GJK_BASE_MAP_NODE_H

/* What a map is made of: immutable nodes, shared by any number of versions. */

#include "base/map.h"
#include "base/references.h"

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

/* For each child of an inner node how many items it and those before it hold. */
static inline uint32_t *gjk_map_ends(const struct gjk_map_node *parent) {
    return (uint32_t *)(void *)(((struct gjk_map_node *)parent)->slots + parent->count);
}

/* Frees a node, its items and what is below it, where nobody else refers to it. */
void gjk_map_node_release(const gjk_map *map, const struct gjk_map_node *shared);

#endif
