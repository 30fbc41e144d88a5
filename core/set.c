/*
 * Which bodies make up a scene, and in which order? An array of pointers sorted by id and one
 * sorted by handle; an edit merges into new arrays.
 */

#include "gjk/set.h"
#include "references.h"

#include <stdlib.h>
#include <string.h>

struct gjk_set {
    gjk_references references;
    uint32_t dimension;
    uint32_t count;
    const gjk_keeper *keeper; /* NULL: bodies are borrowed */
    const gjk_body **by_handle;
    const gjk_body *by_id[];
};

static int compare_ids(const void *a, const void *b) {
    return strcmp((*(const gjk_body *const *)a)->id, (*(const gjk_body *const *)b)->id);
}

static int compare_handles(const void *a, const void *b) {
    uint32_t p = (*(const gjk_body *const *)a)->handle, q = (*(const gjk_body *const *)b)->handle;
    return p < q ? -1 : p > q;
}

static struct gjk_set *set_alloc(uint32_t dimension, uint32_t capacity, const gjk_keeper *keeper) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    struct gjk_set *set = malloc(sizeof *set + 2 * (size_t)capacity * sizeof set->by_id[0]);
    if (set != NULL) {
        gjk_references_init(&set->references);
        set->dimension = dimension;
        set->count = 0;
        set->keeper = keeper;
        set->by_handle = set->by_id + capacity;
    }
    return set;
}

static void push(struct gjk_set *set, const gjk_body *body) {
    GJK_ASSERT(body->placed.shape->dimension == set->dimension);
    if (set->keeper != NULL) {
        set->keeper->retain(body);
    }
    set->by_id[set->count++] = body;
}

static void finish(struct gjk_set *set) {
    memcpy(set->by_handle, set->by_id, set->count * sizeof set->by_id[0]);
    qsort(set->by_handle, set->count, sizeof set->by_handle[0], compare_handles);
}

struct gjk_set *gjk_set_new_empty(uint32_t dimension, const gjk_keeper *keeper) {
    return set_alloc(dimension, 0, keeper);
}

gjk_status gjk_set_new(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                       struct gjk_set **out) {
    struct gjk_set *set = set_alloc(dimension, count, NULL);
    if (set == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        push(set, &bodies[i]);
    }
    qsort(set->by_id, count, sizeof set->by_id[0], compare_ids);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_ids(&set->by_id[i - 1], &set->by_id[i]) == 0) {
            gjk_set_release(set);
            return GJK_DUPLICATE_ID;
        }
    }
    finish(set);
    *out = set;
    return GJK_OK;
}

gjk_status gjk_set_edit(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                        struct gjk_set **out) {
    struct gjk_set *next = set_alloc(set->dimension, set->count + count, set->keeper);
    if (next == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (at < set->count && strcmp(set->by_id[at]->id, edits[i].id) < 0) {
            push(next, set->by_id[at++]);
        }
        at += at < set->count && strcmp(set->by_id[at]->id, edits[i].id) == 0;
        if (edits[i].body != NULL) {
            push(next, edits[i].body);
        }
    }
    while (at < set->count) {
        push(next, set->by_id[at++]);
    }
    finish(next);
    *out = next;
    return GJK_OK;
}

struct gjk_set *gjk_set_retain(const struct gjk_set *set) {
    struct gjk_set *shared = (struct gjk_set *)set;
    gjk_references_add(&shared->references);
    return shared;
}

void gjk_set_release(const struct gjk_set *set) {
    struct gjk_set *shared = (struct gjk_set *)set;
    if (shared == NULL || !gjk_references_drop(&shared->references)) {
        return;
    }
    for (uint32_t i = 0; shared->keeper != NULL && i < shared->count; i++) {
        shared->keeper->release(shared->by_id[i]);
    }
    free(shared);
}

uint32_t gjk_set_dimension(const struct gjk_set *set) {
    return set->dimension;
}

uint32_t gjk_set_count(const struct gjk_set *set) {
    return set->count;
}

const gjk_body *gjk_set_body(const struct gjk_set *set, uint32_t i) {
    GJK_ASSERT(i < set->count);
    return set->by_id[i];
}

const gjk_body *gjk_set_find(const struct gjk_set *set, const char *id) {
    gjk_body key = {.id = id};
    const gjk_body *at = &key;
    const gjk_body *const *found =
        bsearch(&at, set->by_id, set->count, sizeof set->by_id[0], compare_ids);
    return found != NULL ? *found : NULL;
}

const gjk_body *gjk_set_find_handle(const struct gjk_set *set, uint32_t handle) {
    gjk_body key = {.handle = handle};
    const gjk_body *at = &key;
    const gjk_body *const *found =
        bsearch(&at, set->by_handle, set->count, sizeof set->by_handle[0], compare_handles);
    return found != NULL ? *found : NULL;
}
