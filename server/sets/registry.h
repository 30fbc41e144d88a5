#ifndef GJKD_SETS_REGISTRY_H
#define GJKD_SETS_REGISTRY_H

/*
 * All sets by name, each with its current version. A read is one lookup and one retain under a lock
 * that is held only for these. The writer lock of a name serialises the writers of a set: they
 * build the next version outside of the registry's lock and then swap it in, so readers never wait
 * for a build. Thread-safe.
 */

#include "security/token.h"
#include "sets/version.h"

#include <pthread.h>
#include <sys/queue.h>

struct gjkd_registry;

/* Makes an empty registry for up to sets_max sets. Returns NULL if memory is exhausted. */
struct gjkd_registry *gjkd_registry_new(uint64_t sets_max);

uint64_t gjkd_registry_sets_max(const struct gjkd_registry *registry);

/* Sets the limit on the memory of all current versions; 0: no limit. */
void gjkd_registry_limit(struct gjkd_registry *registry, uint64_t bytes_max);
void gjkd_registry_free(struct gjkd_registry *registry); /* NULL is allowed */

/* Returns the current version, retained, or NULL if there is no such set. O(log sets). */
struct gjkd_version *gjkd_registry_get(struct gjkd_registry *registry, const char *name);

/*
 * Takes the writer lock of a name. Until unlock, the caller is its only writer: the version that
 * get returned is still current at put. May block, so only workers call it. A thread holds at most
 * one writer lock.
 */
void gjkd_registry_lock_writer(struct gjkd_registry *registry, const char *name);
/* Waits for the lock for at most wait_ms. Returns false if another writer still holds it. */
bool gjkd_registry_try_lock_writer(struct gjkd_registry *registry, const char *name,
                                   uint64_t wait_ms) GJK_MUST_USE;
void gjkd_registry_unlock_writer(struct gjkd_registry *registry, const char *name);

typedef enum gjkd_put_status {
    GJKD_PUT_OK,
    GJKD_PUT_FULL,        /* a new name, and sets_max is reached */
    GJKD_PUT_OVER_MEMORY, /* it is larger than its predecessor, and all sets would exceed
                             bytes_max */
} gjkd_put_status;

/* Makes version the current one of its name. On GJKD_PUT_OK the registry retains it. */
gjkd_put_status gjkd_registry_put(struct gjkd_registry *registry, struct gjkd_version *version);

/* Returns what put would return; changes nothing. */
gjkd_put_status gjkd_registry_ask(struct gjkd_registry *registry,
                                  const struct gjkd_version *version);

/* Makes version (NULL: none) the current one of the name, regardless of the limits. The caller
 * keeps the number of sets at most 2 * sets_max. */
void gjkd_registry_set(struct gjkd_registry *registry, const char *name,
                       struct gjkd_version *version);

/* Swaps the contents of two registries with the same sets_max, at once for all readers of `shown`:
 * no list mixes sets of both. No other thread may be using `other`. O(1). */
void gjkd_registry_exchange(struct gjkd_registry *shown, struct gjkd_registry *other);

/*
 * Retains up to limit current versions into out, in bytewise order of names: those whose name
 * begins with prefix, is covered by the grant (NULL: all), and follows `after` (NULL: from the
 * first). Returns their number; *more tells whether others follow.
 */
size_t gjkd_registry_list(struct gjkd_registry *registry, const char *prefix,
                          const gjkd_grant *grant, const char *after, size_t limit,
                          struct gjkd_version **out, bool *more);

/* A listener to new names. notify is called under the registry's lock whenever a set appears; name
 * is NULL if many may have appeared. It takes O(1), and must neither block nor call the
 * registry. */
struct gjkd_registry_listener {
    void (*notify)(struct gjkd_registry_listener *listener, const char *name);
    LIST_ENTRY(gjkd_registry_listener) link;
};

void gjkd_registry_listen(struct gjkd_registry *registry, struct gjkd_registry_listener *listener);
/* Removes a listener that is registered; notify is not called after this returns. */
void gjkd_registry_unlisten(struct gjkd_registry *registry,
                            struct gjkd_registry_listener *listener);

typedef struct gjkd_registry_size {
    uint64_t sets, shapes, bytes;
} gjkd_registry_size;

gjkd_registry_size gjkd_registry_measure(struct gjkd_registry *registry);

/*
 * The versions of the sets that a request reads besides the one in its path. Each set is looked up
 * once and its version kept, so that the request sees one version of it from start to end.
 * Thread-safe, because several workers may share a request.
 */

struct gjkd_pinned_sets {
    pthread_mutex_t lock;
    void *names; /* names of the versions, a tree of <search.h> */
};

void gjkd_pinned_sets_init(struct gjkd_pinned_sets *pinned);
void gjkd_pinned_sets_fini(struct gjkd_pinned_sets *pinned);

/* Releases all versions. */
void gjkd_pinned_sets_reset(struct gjkd_pinned_sets *pinned);

/* Returns the pinned version of the set, valid until reset; pins the current one first if none is.
 * Returns NULL if there is no such set or, with *no_memory set, memory is exhausted. Absence is not
 * pinned: a later call may find the set. */
const struct gjkd_version *gjkd_pinned_sets_get(struct gjkd_pinned_sets *pinned,
                                                struct gjkd_registry *registry, const char *name,
                                                bool *no_memory);

#endif
