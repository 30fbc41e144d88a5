#ifndef GJKD_SETS_PINNED_SETS_H
#define GJKD_SETS_PINNED_SETS_H

/*
 * Pins the version of every set that a request reads besides the one in its path: each is looked up
 * once, so that the request sees one version of it from start to end. Thread-safe, because several
 * workers may share a request.
 */

#include "sets/registry.h"

#include <pthread.h>

struct gjkd_pinned_sets {
    pthread_mutex_t lock;
    struct gjkd_version **versions; /* in the order of names */
    uint32_t count, capacity;
};

void gjkd_pinned_sets_init(struct gjkd_pinned_sets *pinned);
void gjkd_pinned_sets_fini(struct gjkd_pinned_sets *pinned);

/* Releases all versions. */
void gjkd_pinned_sets_reset(struct gjkd_pinned_sets *pinned);

/* The pinned version of the set, valid until reset. NULL: there is no such set, or, if *no_memory,
 * no memory to pin it. Absence is not pinned: the set may be found later. */
const struct gjkd_version *gjkd_pinned_sets_get(struct gjkd_pinned_sets *pinned,
                                                struct gjkd_registry *registry, const char *name,
                                                bool *no_memory);

#endif
