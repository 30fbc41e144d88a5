/*
 * Which bodies make up a scene, and in which order? One sorted array behind one
 * header, in a single block; an id is found by bisection.
 */

#include "gjk/set.h"

#include <stdlib.h>
#include <string.h>

struct gjk_set {
    uint32_t dimension;
    uint32_t count;
    gjk_body bodies[];
};

static int compare_ids(const void *a, const void *b) {
    return strcmp(((const gjk_body *)a)->id, ((const gjk_body *)b)->id);
}

gjk_status gjk_set_new(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                       struct gjk_set **out) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    _Static_assert((SIZE_MAX - sizeof(struct gjk_set)) / sizeof *bodies >= UINT32_MAX,
                   "the size of any set can be counted");
    struct gjk_set *set = malloc(sizeof *set + count * sizeof *bodies);
    if (set == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    set->dimension = dimension;
    set->count = count;
    for (uint32_t i = 0; i < count; i++) {
        GJK_ASSERT(bodies[i].placed.shape->dimension == dimension);
        set->bodies[i] = bodies[i];
    }
    qsort(set->bodies, count, sizeof *bodies, compare_ids);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_ids(&set->bodies[i - 1], &set->bodies[i]) == 0) {
            free(set);
            return GJK_DUPLICATE_ID;
        }
    }
    *out = set;
    return GJK_OK;
}

void gjk_set_free(struct gjk_set *set) {
    free(set);
}

uint32_t gjk_set_dimension(const struct gjk_set *set) {
    return set->dimension;
}

uint32_t gjk_set_count(const struct gjk_set *set) {
    return set->count;
}

const gjk_body *gjk_set_body(const struct gjk_set *set, uint32_t i) {
    GJK_ASSERT(i < set->count);
    return &set->bodies[i];
}

uint32_t gjk_set_find(const struct gjk_set *set, const char *id) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(set->bodies[middle].id, id);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return GJK_NO_BODY;
}
