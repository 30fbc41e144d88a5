#ifndef GJKD_SETS_REGISTRY_H
#define GJKD_SETS_REGISTRY_H

/*
 * All sets by name, each with its current version. A read is one lookup and one retain under a lock
 * that is held no longer. Writers of one set are serialised by its writer lock, build the next
 * version outside of the registry's lock, and swap it in; readers never wait for that. Thread-safe.
 */

#include "security/token.h"
#include "sets/version.h"

#include <pthread.h>

struct gjkd_registry;

/* sets_max: how many sets there may be. NULL: out of memory. */
struct gjkd_registry *gjkd_registry_new(uint64_t sets_max);

uint64_t gjkd_registry_sets_max(const struct gjkd_registry *registry);

/* Sets the limit on the memory of all current versions; 0: no limit. */
void gjkd_registry_limit(struct gjkd_registry *registry, uint64_t bytes_max);
void gjkd_registry_free(struct gjkd_registry *registry); /* NULL is allowed */

/* The current version, retained, or NULL when there is no such set. O(log sets). */
struct gjkd_version *gjkd_registry_get(struct gjkd_registry *registry, const char *name);

/*
 * Between lock and unlock the caller is the only writer of that name, so that the version that get
 * returned is still current at put. May block, therefore for workers only; a thread holds at most
 * one of these locks.
 */
void gjkd_registry_lock_writer(struct gjkd_registry *registry, const char *name);
/* The same, waiting at most so long. False: another writer still has the lock. */
bool gjkd_registry_try_lock_writer(struct gjkd_registry *registry, const char *name,
                                   uint64_t wait_ms) GJK_MUST_USE;
void gjkd_registry_unlock_writer(struct gjkd_registry *registry, const char *name);

typedef enum gjkd_put_status {
    GJKD_PUT_OK,
    GJKD_PUT_FULL,        /* a new name, and sets_max is reached */
    GJKD_PUT_OVER_MEMORY, /* it is larger than the version before it and exceeds bytes_max */
} gjkd_put_status;

/* Makes version the current one of its name; on OK the registry holds a reference of its own. */
gjkd_put_status gjkd_registry_put(struct gjkd_registry *registry, struct gjkd_version *version);

/* Returns what put would return; changes nothing. */
gjkd_put_status gjkd_registry_ask(struct gjkd_registry *registry,
                                  const struct gjkd_version *version);

/* Makes version (NULL: no set) the current one of the name, whatever the limits; of twice as many
 * sets as there may be. */
void gjkd_registry_set(struct gjkd_registry *registry, const char *name,
                       struct gjkd_version *version);

/* Exchanges the content of two registries, which have the same bound, at once for all readers of
 * `shown`, so that no list has sets of both. Only the caller uses `other`. O(1). */
void gjkd_registry_exchange(struct gjkd_registry *shown, struct gjkd_registry *other);

/*
 * Retains up to limit current versions into out, in bytewise order of names: those that
 * begin with prefix, that the grant covers (NULL: all), and come after the name `after` (NULL: from
 * the first). Returns how many; *more tells whether others follow.
 */
size_t gjkd_registry_list(struct gjkd_registry *registry, const char *prefix,
                          const gjkd_grant *grant, const char *after, size_t limit,
                          struct gjkd_version **out, bool *more);

/* Is told when a set is there that was not. notify is called under the registry's lock: it takes
 * O(1), and must neither block nor call the registry. */
struct gjkd_registry_listener {
    void (*notify)(struct gjkd_registry_listener *listener);
    struct gjkd_registry_listener *next;
};

void gjkd_registry_listen(struct gjkd_registry *registry, struct gjkd_registry_listener *listener);
/* After this notify is not called any more. Does nothing if the listener is not there. */
void gjkd_registry_unlisten(struct gjkd_registry *registry,
                            const struct gjkd_registry_listener *listener);

typedef struct gjkd_registry_size {
    uint64_t sets, shapes, bytes;
} gjkd_registry_size;

gjkd_registry_size gjkd_registry_measure(struct gjkd_registry *registry);

/*
 * Pins the version of every set that a request reads besides the one in its path: each is looked up
 * once, so that the request sees one version of it from start to end. Thread-safe, because several
 * workers may share a request.
 */

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
