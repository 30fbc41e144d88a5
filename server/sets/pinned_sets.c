/* A sorted array of versions, each retained when its set is first looked up. */

#include "sets/pinned_sets.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 8

void gjkd_pinned_sets_init(struct gjkd_pinned_sets *pinned) {
    *pinned = (struct gjkd_pinned_sets){0};
    pthread_mutex_init(&pinned->lock, NULL);
}

void gjkd_pinned_sets_fini(struct gjkd_pinned_sets *pinned) {
    gjkd_pinned_sets_reset(pinned);
    pthread_mutex_destroy(&pinned->lock);
}

void gjkd_pinned_sets_reset(struct gjkd_pinned_sets *pinned) {
    for (uint32_t i = 0; i < pinned->count; i++) {
        gjkd_version_release(pinned->versions[i]);
    }
    free(pinned->versions);
    pinned->versions = NULL;
    pinned->count = pinned->capacity = 0;
}

static bool reserve(struct gjkd_pinned_sets *pinned) {
    if (pinned->count < pinned->capacity) {
        return true;
    }
    uint32_t capacity = pinned->capacity == 0 ? CAPACITY_FIRST : 2 * pinned->capacity;
    struct gjkd_version **grown =
        realloc(pinned->versions, capacity * sizeof(struct gjkd_version *));
    if (grown == NULL) {
        return false;
    }
    pinned->versions = grown;
    pinned->capacity = capacity;
    return true;
}

static const struct gjkd_version *look_up(struct gjkd_pinned_sets *pinned, size_t at,
                                          struct gjkd_registry *registry, const char *name,
                                          bool *no_memory) {
    *no_memory = !reserve(pinned);
    struct gjkd_version *found = *no_memory ? NULL : gjkd_registry_get(registry, name);
    if (found != NULL) {
        memmove(&pinned->versions[at + 1], &pinned->versions[at],
                (pinned->count - at) * sizeof(struct gjkd_version *));
        pinned->versions[at] = found;
        pinned->count++;
    }
    return found;
}

const struct gjkd_version *gjkd_pinned_sets_get(struct gjkd_pinned_sets *pinned,
                                                struct gjkd_registry *registry, const char *name,
                                                bool *no_memory) {
    *no_memory = false;
    pthread_mutex_lock(&pinned->lock);
    size_t at = gjkd_versions_lower_bound(pinned->versions, pinned->count, name);
    bool known = at < pinned->count && strcmp(pinned->versions[at]->name, name) == 0;
    const struct gjkd_version *version =
        known ? pinned->versions[at] : look_up(pinned, at, registry, name, no_memory);
    pthread_mutex_unlock(&pinned->lock);
    return version;
}
