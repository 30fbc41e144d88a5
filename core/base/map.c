/*
 * Ordered maps whose versions share nodes: look-ups, edits and differences.
 *
 * Look-ups by key and by rank use a B+-tree whose inner nodes count the items of each child.
 */

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

/* A node: immutable, shared by any number of versions. */
typedef struct gjk_map_node node;

struct gjk_map_node {
    gjk_references references;
    uint16_t count;      /* number of slots */
    uint16_t height;     /* 0: slots are items; else nodes of height - 1 */
    uint32_t size;       /* items in this node and below */
    size_t bytes;        /* memory of this node and those below */
    const void *least;   /* first item in or below this node */
    const void *slots[]; /* in inner nodes ends_of follows the slots */
};

static const node *child_of(const node *parent, uint32_t i) {
    return parent->slots[i];
}

static const node *node_retain(const node *shared) {
    gjk_references_add(&shared->references);
    return shared;
}

/* Returns an array: for each child of an inner node, the number of items in it and in the children
 * before it. */
static uint32_t *ends_of(const node *parent) {
    return (uint32_t *)(void *)(((node *)parent)->slots + parent->count);
}

/* Drops a reference to a node. The last one frees it, releases its items and drops its children. */
static void node_release(const gjk_map *map, const node *shared) {
    if (!gjk_references_drop(&shared->references)) {
        return;
    }
    for (uint32_t i = 0; i < shared->count; i++) {
        if (shared->height > 0) {
            node_release(map, shared->slots[i]);
        } else if (map->kind->release != NULL) {
            map->kind->release(map->context, shared->slots[i]);
        }
    }
    free((node *)shared);
}

gjk_map gjk_map_retain(const gjk_map *map) {
    if (map->root != NULL) {
        (void)node_retain(map->root);
    }
    return *map;
}

void gjk_map_release(const gjk_map *map) {
    if (map->root != NULL) {
        node_release(map, map->root);
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
        const uint32_t *ends = ends_of(at);
        uint32_t i = 0;
        while (ends[i] <= rank) {
            i++;
        }
        rank -= i > 0 ? ends[i - 1] : 0;
        at = child_of(at, i);
    }
    return at->slots[rank];
}

/* Writes at most count items from rank `first` on; returns how many were written. */
static uint32_t list_items(const node *at, uint32_t first, uint32_t count, const void **out) {
    if (at->height == 0) {
        uint32_t some = at->count - first < count ? at->count - first : count;
        memcpy(out, at->slots + first, some * sizeof out[0]);
        return some;
    }
    uint32_t done = 0;
    for (uint32_t i = 0; i < at->count && done < count; i++) {
        uint32_t start = i > 0 ? ends_of(at)[i - 1] : 0;
        if (ends_of(at)[i] > first) {
            uint32_t skip = first > start ? first - start : 0;
            done += list_items(child_of(at, i), skip, count - done, out + done);
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

/* Returns the number of a node's slots whose first key is at most `key`. */
static uint32_t slots_up_to(const gjk_map *map, const node *at, const void *key) {
    uint32_t low = 0, high = at->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const void *item = at->height > 0 ? child_of(at, middle)->least : at->slots[middle];
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
        rank += slots > 1 ? ends_of(at)[slots - 2] : 0;
        at = child_of(at, slots - 1);
    }
    return rank;
}

const void *gjk_map_find_from(const gjk_map *map, gjk_map_finger *finger, const void *key) {
    if (finger->leaf != NULL && finger->at + 1 < finger->leaf->count) {
        const void *next = finger->leaf->slots[finger->at + 1];
        if (map->kind->compare(key, next) == 0) {
            finger->at++;
            return next;
        }
    }
    for (const node *at = map->root; at != NULL;) {
        uint32_t slots = slots_up_to(map, at, key);
        if (slots == 0) {
            return NULL;
        }
        const void *slot = at->slots[slots - 1];
        if (at->height == 0) {
            *finger = (gjk_map_finger){at, slots - 1};
            return map->kind->compare(key, slot) == 0 ? slot : NULL;
        }
        at = slot;
    }
    return NULL;
}

const void *gjk_map_find(const gjk_map *map, const void *key) {
    gjk_map_finger none = {.leaf = NULL};
    return gjk_map_find_from(map, &none, key);
}

/*
 * Edits of a persistent ordered map: a B+-tree of immutable nodes with reference counts and path
 * copying (Driscoll, Sarnak, Sleator, Tarjan, Making Data Structures Persistent, 1989). An edit
 * copies the nodes on the path to a change and shares all others. A batch of edits descends
 * together, so that each node is copied once. Nodes have the exact size of their slots and never
 * grow. A small node is merged with its neighbour when the parent is next copied, which keeps the
 * tree low without a minimum fill at every edit.
 */

#define NODE_SLOTS_MAX 32
#define NODE_SLOTS_SMALL 8 /* nodes with fewer slots are merged */

/* Slots that become nodes. The row owns the nodes in it, but not items. */
typedef struct row {
    const void **slots;
    uint32_t count, capacity;
    uint16_t height; /* height of the node that will hold the slots */
} row;

/* Makes a node of count > 0 slots, which it retains. Returns NULL if memory is exhausted. */
static node *node_new(const gjk_map *map, const void *const *slots, uint32_t count,
                      uint16_t height) {
    size_t slot_bytes = sizeof slots[0] + (height > 0 ? sizeof(uint32_t) : 0);
    size_t bytes = sizeof(node) + count * slot_bytes;
    node *made = malloc(bytes);
    if (made == NULL) {
        return NULL;
    }
    gjk_references_init(&made->references);
    made->count = (uint16_t)count;
    made->height = height;
    made->bytes = bytes;
    memcpy(made->slots, slots, count * sizeof slots[0]);
    if (height == 0) {
        made->size = count;
        made->least = slots[0];
        for (uint32_t i = 0; map->kind->retain != NULL && i < made->count; i++) {
            map->kind->retain(map->context, made->slots[i]);
        }
    } else {
        made->size = 0;
        made->least = child_of(made, 0)->least;
        uint32_t *ends = ends_of(made);
        for (uint32_t i = 0; i < made->count; i++) {
            const node *child = node_retain(made->slots[i]);
            made->size += child->size;
            made->bytes += child->bytes;
            ends[i] = made->size;
        }
    }
    return made;
}

static bool row_push(row *list, const void *slot) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity == 0 ? 2 * NODE_SLOTS_MAX : 2 * list->capacity;
        const void **slots = realloc(list->slots, capacity * sizeof slots[0]);
        if (slots == NULL) {
            return false;
        }
        list->slots = slots;
        list->capacity = capacity;
    }
    list->slots[list->count++] = slot;
    return true;
}

/* Appends a new node and takes ownership of it. Returns false if it is NULL or memory is
 * exhausted. */
static bool row_take(const gjk_map *map, row *list, const node *made) {
    if (made == NULL) {
        return false;
    }
    if (!row_push(list, made)) {
        node_release(map, made);
        return false;
    }
    return true;
}

static void row_free(const gjk_map *map, row *list) {
    for (uint32_t i = 0; list->height > 0 && i < list->count; i++) {
        node_release(map, list->slots[i]);
    }
    free(list->slots);
}

/* Appends to `up` the smallest number of nodes that hold all slots, of nearly equal sizes. */
static bool pack(const gjk_map *map, const void *const *slots, uint32_t count, uint16_t height,
                 row *up) {
    uint32_t nodes = (count + NODE_SLOTS_MAX - 1) / NODE_SLOTS_MAX;
    for (uint32_t i = 0, first = 0; i < nodes; i++) {
        uint32_t part = (count - first + (nodes - i) - 1) / (nodes - i);
        if (!row_take(map, up, node_new(map, slots + first, part, height))) {
            return false;
        }
        first += part;
    }
    return true;
}

/* Takes ownership of `next` and appends it to a row of nodes; merges it with the last node if
 * either is small. */
static bool append_joined(const gjk_map *map, row *list, const node *next) {
    const node *last = list->count > 0 ? list->slots[list->count - 1] : NULL;
    if (last == NULL || (last->count >= NODE_SLOTS_SMALL && next->count >= NODE_SLOTS_SMALL)) {
        return row_take(map, list, next);
    }
    const void *both[2 * NODE_SLOTS_MAX];
    memcpy(both, last->slots, last->count * sizeof both[0]);
    memcpy(both + last->count, next->slots, next->count * sizeof both[0]);
    list->count--;
    bool joined = pack(map, both, (uint32_t)last->count + next->count, last->height, list);
    node_release(map, last);
    node_release(map, next);
    return joined;
}

/* The edits of one call, and the number already applied. */
typedef struct work {
    const gjk_map_edit *items;
    uint32_t count, done;
} work;

static bool edit_node(const gjk_map *map, const node *old, work *todo, const void *end, row *up);

/* Returns true if an edit below the item `end` remains (NULL: if any edit remains). */
static bool next_is_below(const gjk_map *map, const work *todo, const void *end) {
    return todo->done < todo->count &&
           (end == NULL || map->kind->compare(todo->items[todo->done].key, end) < 0);
}

/* Merges the items of a leaf with the edits below `end`. */
static bool edit_items(const gjk_map *map, const node *old, work *todo, const void *end,
                       row *items) {
    uint32_t at = 0, count = old != NULL ? old->count : 0;
    while (next_is_below(map, todo, end)) {
        const gjk_map_edit *edit = &todo->items[todo->done];
        int order = at < count ? map->kind->compare(edit->key, old->slots[at]) : -1;
        if (order > 0) {
            if (!row_push(items, old->slots[at++])) {
                return false;
            }
            continue;
        }
        at += order == 0;
        todo->done++;
        if (edit->item != NULL && !row_push(items, edit->item)) {
            return false;
        }
    }
    while (at < count) {
        if (!row_push(items, old->slots[at++])) {
            return false;
        }
    }
    return true;
}

/* Appends the children of a node after the edits below `end`; children without edits are shared. */
static bool edit_children(const gjk_map *map, const node *old, work *todo, const void *end,
                          row *children) {
    row made = {.height = old->height};
    bool ok = true;
    for (uint32_t i = 0; ok && i < old->count; i++) {
        const void *border = i + 1 < old->count ? child_of(old, i + 1)->least : end;
        if (next_is_below(map, todo, border)) {
            ok = edit_node(map, child_of(old, i), todo, border, &made);
        } else {
            ok = row_take(map, &made, node_retain(child_of(old, i)));
        }
    }
    uint32_t moved = 0;
    while (ok && moved < made.count) {
        ok = append_joined(map, children, made.slots[moved++]);
    }
    for (uint32_t i = moved; i < made.count; i++) {
        node_release(map, made.slots[i]);
    }
    free(made.slots);
    return ok;
}

/* Applies the edits below `end` to `old` and appends the resulting nodes, of its height, to
 * `up`. */
static bool edit_node(const gjk_map *map, const node *old, work *todo, const void *end, row *up) {
    row slots = {.height = old->height};
    bool ok = old->height == 0 ? edit_items(map, old, todo, end, &slots)
                               : edit_children(map, old, todo, end, &slots);
    ok = ok && pack(map, slots.slots, slots.count, old->height, up);
    row_free(map, &slots);
    return ok;
}

/* Makes the root over a row of nodes of one height; consumes the row. *root is NULL for an empty
 * row. */
static bool grow_root(const gjk_map *map, row *level, const node **root) {
    bool ok = true;
    *root = NULL;
    while (ok && level->count > 1) {
        const uint16_t height = (uint16_t)(((const node *)level->slots[0])->height + 1);
        row up = {.height = (uint16_t)(height + 1)};
        ok = pack(map, level->slots, level->count, height, &up);
        row_free(map, level);
        *level = up;
    }
    if (ok && level->count == 1) {
        *root = level->slots[0];
        while ((*root)->height > 0 && (*root)->count == 1) {
            *root = child_of(*root, 0);
        }
        (void)node_retain(*root);
    }
    row_free(map, level);
    return ok;
}

/* Returns the memory of the new nodes below and including `made`: those with a single reference. */
static size_t new_bytes(const node *made) {
    if (!gjk_references_only(&made->references)) {
        return 0;
    }
    size_t bytes = made->bytes;
    for (uint32_t i = 0; made->height > 0 && i < made->count; i++) {
        bytes -= child_of(made, i)->bytes - new_bytes(child_of(made, i));
    }
    return bytes;
}

/* Applies the edits to the whole map; `level` receives the resulting nodes of one height. */
static bool edit_root(const gjk_map *map, work *todo, row *level) {
    if (map->root != NULL) {
        return edit_node(map, map->root, todo, NULL, level);
    }
    row slots = {.height = 0};
    bool ok =
        edit_items(map, NULL, todo, NULL, &slots) && pack(map, slots.slots, slots.count, 0, level);
    row_free(map, &slots);
    return ok;
}

gjk_status gjk_map_edit_all(const gjk_map *map, const gjk_map_edit *edits, uint32_t count,
                            gjk_map *out) {
    work todo = {edits, count, 0};
    row level = {.height = 1};
    const node *root;
    if (count == 0) {
        *out = gjk_map_retain(map);
        out->added_bytes = 0;
        return GJK_OK;
    }
    if (!edit_root(map, &todo, &level)) {
        row_free(map, &level);
        return GJK_OUT_OF_MEMORY;
    }
    if (!grow_root(map, &level, &root)) {
        return GJK_OUT_OF_MEMORY;
    }
    *out = gjk_map_make(map->kind, map->context);
    out->root = root;
    /* The analyzer does not know reference counts: the root has its own reference. */
    out->added_bytes = root != NULL ? new_bytes(root) : 0; /* NOLINT(clang-analyzer-unix.Malloc) */
    return GJK_OK;
}

/* Differences of two versions of a map: both are traversed together in the order of keys, skipping
 * shared nodes. */

#define HEIGHT_MAX 16 /* enough for 8^16 items */

/* A position in one map: the next slot on each level, root first. */
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

/* Returns the height of the node that holds the next slot: 0 if the slot is an item. */
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

/* Steps into the next slot, or, if it is an item, visits it and steps over it. */
static void advance(walk *at, bool is_old, gjk_map_visitor visit, void *user) {
    if (next_height(at) > 0) {
        step_into(at);
        return;
    }
    const void *item = next_slot(at);
    visit(user, is_old ? item : NULL, is_old ? NULL : item);
    step_over(at);
}

/* Advances both walks, whose next keys are equal: skips a shared slot, steps into different nodes,
 * visits different items. */
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
