#ifndef GJKD_SETS_OTHERS_H
#define GJKD_SETS_OTHERS_H

/*
 * The sets that a request touches besides the one in its path, each looked up once: one request
 * sees one version of a set from start to end. Threads that work on one request share it.
 */

#include "sets/registry.h"

#include <pthread.h>

struct gjkd_others {
    pthread_mutex_t lock;
    struct gjkd_version **versions; /* in the order of names */
    uint32_t count, capacity;
};

void gjkd_others_init(struct gjkd_others *others);
void gjkd_others_fini(struct gjkd_others *others);

/* Forgets them all. */
void gjkd_others_reset(struct gjkd_others *others);

/* The version of that name, the same whenever it is asked for; a view until reset. NULL: there is
 * no such set, or no memory to keep it, which *no_memory tells. A set that is not there may be
 * there later. */
const struct gjkd_version *gjkd_others_get(struct gjkd_others *others,
                                           struct gjkd_registry *registry, const char *name,
                                           bool *no_memory);

#endif
