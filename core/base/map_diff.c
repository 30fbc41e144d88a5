/*
 * The differences of two versions of a map: both are traversed at once in the order of keys, and
 * nodes that they share are skipped.
 */

#include "base/map.h"

#define HEIGHT_MAX 16 /* 8^16 items and more */

typedef struct gjk_map_node node;

/* A walk over one map: the slots that come next, one a level, outermost first. */
typedef struct walk {
    const gjk_map *map;
    const node *path[HEIGHT_MAX];
    uint32_t slot[HEIGHT_MAX];
    int depth; /* -1: at the end */
} walk;

static walk walk_start(const gjk_map *map) {
    walk made = {.map = map, .depth = -1};
    if (map->root != NULL) {
        made.path[++made.depth] = map->root;
    }
    return made;
}

static const void *next_slot(const walk *at) {
    return at->path[at->depth]->slots[at->slot[at->depth]];
}

/* Of the slot that comes next: 0 for an item, else how high the node is, counted from 1. */
static uint16_t next_height(const walk *at) {
    return at->path[at->depth]->height;
}

static const void *next_item(const walk *at) {
    return next_height(at) == 0 ? next_slot(at) : ((const node *)next_slot(at))->least;
}

static void step_over(walk *at) {
    while (at->depth >= 0 && ++at->slot[at->depth] == at->path[at->depth]->count) {
        at->depth--;
    }
}

static void step_into(walk *at) {
    const node *child = next_slot(at);
    GJK_CHECK(at->depth + 1 < HEIGHT_MAX);
    at->path[++at->depth] = child;
    at->slot[at->depth] = 0;
}

/* Steps into what comes next, or, if it is an item, tells of it and steps over it. */
static void advance(walk *at, bool is_old, gjk_map_visitor visit, void *user) {
    if (next_height(at) > 0) {
        step_into(at);
        return;
    }
    const void *item = next_slot(at);
    visit(user, is_old ? item : NULL, is_old ? NULL : item);
    step_over(at);
}

/* Both stand before the same key. */
static void advance_both(walk *old, walk *new, gjk_map_visitor visit, void *user) {
    uint16_t p = next_height(old), q = next_height(new);
    const void *from = next_slot(old), *to = next_slot(new);
    if (p != q) {
        step_into(p > q ? old : new);
    } else if (from != to && p > 0) {
        step_into(old);
        step_into(new);
    } else {
        if (from != to) {
            visit(user, from, to);
        }
        step_over(old);
        step_over(new);
    }
}

void gjk_map_diff(const gjk_map *from, const gjk_map *to, gjk_map_visitor visit, void *user) {
    const gjk_map_kind *kind = from->kind;
    walk old = walk_start(from), new = walk_start(to);
    if (from->root == to->root) {
        return;
    }
    while (old.depth >= 0 && new.depth >= 0) {
        int order = kind->compare(kind->key(next_item(&old)), next_item(&new));
        if (order == 0) {
            advance_both(&old, &new, visit, user);
        } else {
            advance(order < 0 ? &old : &new, order < 0, visit, user);
        }
    }
    while (old.depth >= 0) {
        advance(&old, true, visit, user);
    }
    while (new.depth >= 0) {
        advance(&new, false, visit, user);
    }
}
