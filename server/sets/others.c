/*
 * Which version of another set does a request see? That of when it was first asked for.
 */

#include "sets/others.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 8

void gjkd_others_init(struct gjkd_others *others) {
    *others = (struct gjkd_others){0};
    pthread_mutex_init(&others->lock, NULL);
}

void gjkd_others_fini(struct gjkd_others *others) {
    gjkd_others_reset(others);
    pthread_mutex_destroy(&others->lock);
}

void gjkd_others_reset(struct gjkd_others *others) {
    for (uint32_t i = 0; i < others->count; i++) {
        gjkd_version_release(others->versions[i]);
    }
    free(others->versions);
    others->versions = NULL;
    others->count = others->capacity = 0;
}

/* Where the name stands, or would. */
static uint32_t find(const struct gjkd_others *others, const char *name) {
    uint32_t low = 0, high = others->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (strcmp(others->versions[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool reserve(struct gjkd_others *others) {
    if (others->count < others->capacity) {
        return true;
    }
    uint32_t capacity = others->capacity == 0 ? CAPACITY_FIRST : 2 * others->capacity;
    struct gjkd_version **grown =
        realloc(others->versions, capacity * sizeof(struct gjkd_version *));
    if (grown == NULL) {
        return false;
    }
    others->versions = grown;
    others->capacity = capacity;
    return true;
}

static const struct gjkd_version *look_up(struct gjkd_others *others, uint32_t at,
                                          struct gjkd_registry *registry, const char *name,
                                          bool *no_memory) {
    *no_memory = !reserve(others);
    struct gjkd_version *found = *no_memory ? NULL : gjkd_registry_get(registry, name);
    if (found != NULL) {
        memmove(&others->versions[at + 1], &others->versions[at],
                (others->count - at) * sizeof(struct gjkd_version *));
        others->versions[at] = found;
        others->count++;
    }
    return found;
}

const struct gjkd_version *gjkd_others_get(struct gjkd_others *others,
                                           struct gjkd_registry *registry, const char *name,
                                           bool *no_memory) {
    *no_memory = false;
    pthread_mutex_lock(&others->lock);
    uint32_t at = find(others, name);
    bool known = at < others->count && strcmp(others->versions[at]->name, name) == 0;
    const struct gjkd_version *version =
        known ? others->versions[at] : look_up(others, at, registry, name, no_memory);
    pthread_mutex_unlock(&others->lock);
    return version;
}
