/*
 * An array of versions sorted by name, under a read-write lock. With at most about ten thousand
 * names, binary search is fast, and a list in order needs no sort. Writer locks are striped by the
 * hash of the name: two sets that share a stripe only delay each other's writes.
 */

#define _GNU_SOURCE /* for tdestroy */
#include "sets/registry.h"

#include "util/hash.h"
#include "work/memory.h"
#include "work/pool.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define WRITER_STRIPES 256

/* A lock that can be waited for with a deadline. */
struct stripe {
    pthread_mutex_t lock; /* protects is_held */
    uv_cond_t is_free;
    bool is_held;
};

struct gjkd_registry {
    pthread_rwlock_t lock; /* protects all members but the stripes */
    struct gjkd_version **versions;
    size_t count, capacity;
    uint64_t sets_max;
    uint64_t shapes, bytes;
    uint64_t bytes_max; /* 0: no limit */
    LIST_HEAD(, gjkd_registry_listener) listeners;
    struct stripe stripes[WRITER_STRIPES];
};

struct gjkd_registry *gjkd_registry_new(uint64_t sets_max) {
    struct gjkd_registry *registry = calloc(1, sizeof *registry);
    if (registry == NULL) {
        return NULL;
    }
    registry->sets_max = sets_max;
    registry->capacity = 2 * sets_max; /* gjkd_registry_set is not bound by sets_max */
    registry->versions = calloc(registry->capacity + 1, sizeof(struct gjkd_version *));
    if (registry->versions == NULL) {
        free(registry);
        return NULL;
    }
    /* Otherwise a stream of readers could starve writers. */
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&registry->lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    for (int i = 0; i < WRITER_STRIPES; i++) {
        pthread_mutex_init(&registry->stripes[i].lock, NULL);
        (void)uv_cond_init(&registry->stripes[i].is_free);
    }
    return registry;
}

uint64_t gjkd_registry_sets_max(const struct gjkd_registry *registry) {
    return registry->sets_max;
}

void gjkd_registry_limit(struct gjkd_registry *registry, uint64_t bytes_max) {
    pthread_rwlock_wrlock(&registry->lock);
    registry->bytes_max = bytes_max;
    pthread_rwlock_unlock(&registry->lock);
}

void gjkd_registry_free(struct gjkd_registry *registry) {
    if (registry == NULL) {
        return;
    }
    for (size_t i = 0; i < registry->count; i++) {
        gjkd_version_release(registry->versions[i]);
    }
    for (int i = 0; i < WRITER_STRIPES; i++) {
        uv_cond_destroy(&registry->stripes[i].is_free);
        pthread_mutex_destroy(&registry->stripes[i].lock);
    }
    pthread_rwlock_destroy(&registry->lock);
    free(registry->versions);
    free(registry);
}

/* Returns the index of the first version whose name is not less than `name`. */
static size_t lower_bound(const struct gjkd_registry *registry, const char *name) {
    size_t low = 0, high = registry->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(registry->versions[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Returns the version of that name, or NULL. *index: where it is, or would be inserted. */
static struct gjkd_version *find_version(const struct gjkd_registry *registry, const char *name,
                                         size_t *index) {
    *index = lower_bound(registry, name);
    const bool is_there =
        *index < registry->count && strcmp(registry->versions[*index]->name, name) == 0;
    return is_there ? registry->versions[*index] : NULL;
}

struct gjkd_version *gjkd_registry_get(struct gjkd_registry *registry, const char *name) {
    size_t index;
    pthread_rwlock_rdlock(&registry->lock);
    struct gjkd_version *version = find_version(registry, name, &index);
    if (version != NULL) {
        gjkd_version_retain(version);
    }
    pthread_rwlock_unlock(&registry->lock);
    return version;
}

static struct stripe *stripe_of(struct gjkd_registry *registry, const char *name) {
    return &registry->stripes[gjkd_checksum(name, strlen(name), 0) % WRITER_STRIPES];
}

/* Takes the stripe. wait_ns: UINT64_MAX: no limit. Returns false if another writer still holds
 * it after that time. */
static bool take_stripe(struct stripe *stripe, uint64_t wait_ns) {
    const uint64_t begun_ns = uv_hrtime();
    uint64_t waited_ns = 0;
    pthread_mutex_lock(&stripe->lock);
    if (stripe->is_held) {
        gjkd_pool_enter_blocking();
    }
    while (stripe->is_held && waited_ns < wait_ns) {
        if (wait_ns == UINT64_MAX) {
            uv_cond_wait(&stripe->is_free, &stripe->lock);
        } else {
            (void)uv_cond_timedwait(&stripe->is_free, &stripe->lock, wait_ns - waited_ns);
            waited_ns = uv_hrtime() - begun_ns;
        }
    }
    const bool is_taken = !stripe->is_held;
    stripe->is_held = true;
    pthread_mutex_unlock(&stripe->lock);
    if (is_taken) {
        gjkd_pool_disable_pauses();
    }
    return is_taken;
}

void gjkd_registry_lock_writer(struct gjkd_registry *registry, const char *name) {
    (void)take_stripe(stripe_of(registry, name), UINT64_MAX);
}

bool gjkd_registry_try_lock_writer(struct gjkd_registry *registry, const char *name,
                                   uint64_t wait_ms) {
    return take_stripe(stripe_of(registry, name), wait_ms * 1000000);
}

void gjkd_registry_unlock_writer(struct gjkd_registry *registry, const char *name) {
    struct stripe *stripe = stripe_of(registry, name);
    pthread_mutex_lock(&stripe->lock);
    stripe->is_held = false;
    uv_cond_signal(&stripe->is_free);
    pthread_mutex_unlock(&stripe->lock);
    gjkd_pool_enable_pauses();
}

void gjkd_registry_listen(struct gjkd_registry *registry, struct gjkd_registry_listener *listener) {
    pthread_rwlock_wrlock(&registry->lock);
    LIST_INSERT_HEAD(&registry->listeners, listener, link);
    pthread_rwlock_unlock(&registry->lock);
}

void gjkd_registry_unlisten(struct gjkd_registry *registry,
                            struct gjkd_registry_listener *listener) {
    pthread_rwlock_wrlock(&registry->lock);
    LIST_REMOVE(listener, link);
    pthread_rwlock_unlock(&registry->lock);
}

static void notify_all(const struct gjkd_registry *registry, const char *name) {
    struct gjkd_registry_listener *at;
    LIST_FOREACH (at, &registry->listeners, link) {
        at->notify(at, name);
    }
}

/* Replaces the entry at index: inserts version if old is NULL, removes old if version is NULL. */
static void replace(struct gjkd_registry *registry, size_t index, const struct gjkd_version *old,
                    struct gjkd_version *version) {
    if (old != NULL) {
        registry->shapes -= gjk_set_count(old->set);
        registry->bytes -= old->bytes;
    }
    if (version == NULL && old != NULL) {
        registry->count--;
        memmove(&registry->versions[index], &registry->versions[index + 1],
                (registry->count - index) * sizeof(struct gjkd_version *));
    } else if (version != NULL && old == NULL) {
        memmove(&registry->versions[index + 1], &registry->versions[index],
                (registry->count - index) * sizeof(struct gjkd_version *));
        registry->versions[index] = version;
        registry->count++;
        notify_all(registry, version->name);
    } else if (version != NULL) {
        registry->versions[index] = version;
    }
    if (version != NULL) {
        gjkd_version_retain(version);
        registry->shapes += gjk_set_count(version->set);
        registry->bytes += version->bytes;
    }
}

/* Returns the status of replacing old (NULL: none) by the version. */
static gjkd_put_status judge(const struct gjkd_registry *registry, const struct gjkd_version *old,
                             const struct gjkd_version *version) {
    const uint64_t old_bytes = old != NULL ? old->bytes : 0;
    if (registry->bytes_max != 0 && version->bytes > old_bytes && /* a smaller version always
                                                                     fits */
        registry->bytes - old_bytes + version->bytes > registry->bytes_max) {
        return GJKD_PUT_OVER_MEMORY;
    }
    return old == NULL && registry->count >= registry->sets_max ? GJKD_PUT_FULL : GJKD_PUT_OK;
}

gjkd_put_status gjkd_registry_put(struct gjkd_registry *registry, struct gjkd_version *version) {
    size_t index;
    pthread_rwlock_wrlock(&registry->lock);
    struct gjkd_version *old = find_version(registry, version->name, &index);
    const gjkd_put_status status = judge(registry, old, version);
    if (status == GJKD_PUT_OK) {
        replace(registry, index, old, version);
    }
    pthread_rwlock_unlock(&registry->lock);
    if (status == GJKD_PUT_OK) {
        gjkd_version_release(old); /* outside of the lock, because freeing may take long */
    }
    return status;
}

gjkd_put_status gjkd_registry_ask(struct gjkd_registry *registry,
                                  const struct gjkd_version *version) {
    size_t index;
    pthread_rwlock_rdlock(&registry->lock);
    const struct gjkd_version *old = find_version(registry, version->name, &index);
    const gjkd_put_status status = judge(registry, old, version);
    pthread_rwlock_unlock(&registry->lock);
    return status;
}

void gjkd_registry_set(struct gjkd_registry *registry, const char *name,
                       struct gjkd_version *version) {
    pthread_rwlock_wrlock(&registry->lock);
    size_t index;
    struct gjkd_version *old = find_version(registry, name, &index);
    GJK_ASSERT(old != NULL || registry->count < registry->capacity);
    replace(registry, index, old, version);
    pthread_rwlock_unlock(&registry->lock);
    gjkd_version_release(old);
}

void gjkd_registry_exchange(struct gjkd_registry *shown, struct gjkd_registry *other) {
    GJK_ASSERT(shown->capacity == other->capacity);
    pthread_rwlock_wrlock(&shown->lock);
    struct gjkd_version **const versions = shown->versions;
    const gjkd_registry_size size = {shown->count, shown->shapes, shown->bytes};
    shown->versions = other->versions;
    shown->count = other->count;
    shown->shapes = other->shapes;
    shown->bytes = other->bytes;
    notify_all(shown, NULL);
    pthread_rwlock_unlock(&shown->lock);
    other->versions = versions;
    other->count = size.sets;
    other->shapes = size.shapes;
    other->bytes = size.bytes;
}

size_t gjkd_registry_list(struct gjkd_registry *registry, const char *prefix,
                          const gjkd_grant *grant, const char *after, size_t limit,
                          struct gjkd_version **out, bool *more) {
    size_t prefix_length = strlen(prefix);
    size_t count = 0;
    pthread_rwlock_rdlock(&registry->lock);
    size_t index = lower_bound(registry, prefix);
    if (after != NULL) {
        size_t next;
        const bool is_there = find_version(registry, after, &next) != NULL;
        next += is_there ? 1 : 0;
        index = next > index ? next : index;
    }
    *more = false;
    while (index < registry->count) {
        struct gjkd_version *version = registry->versions[index];
        if (strncmp(version->name, prefix, prefix_length) != 0) {
            break;
        }
        if (grant != NULL && !gjkd_grant_covers_set(grant, version->name)) {
            char next[GJKD_SET_PREFIX_BYTES_MAX + 1];
            index = gjkd_grant_next(grant, version->name, next) ? lower_bound(registry, next)
                                                                : registry->count;
            continue;
        }
        if (count == limit) {
            *more = true;
            break;
        }
        out[count++] = gjkd_version_retain(version);
        index++;
    }
    pthread_rwlock_unlock(&registry->lock);
    return count;
}

gjkd_registry_size gjkd_registry_measure(struct gjkd_registry *registry) {
    pthread_rwlock_rdlock(&registry->lock);
    gjkd_registry_size size = {registry->count, registry->shapes, registry->bytes};
    pthread_rwlock_unlock(&registry->lock);
    return size;
}

/* --- Pinned sets --- */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Returns the version that contains a name. */
static struct gjkd_version *version_of(char *name) {
    return (struct gjkd_version *)(void *)(name - offsetof(struct gjkd_version, name));
}

static void unpin(void *name) {
    gjkd_version_release(version_of(name));
    gjkd_memory_give(GJKD_CHARGE_LARGE, GJKD_TREE_NODE_BYTES);
}

void gjkd_pinned_sets_init(struct gjkd_pinned_sets *pinned) {
    *pinned = (struct gjkd_pinned_sets){0};
    pthread_mutex_init(&pinned->lock, NULL);
}

void gjkd_pinned_sets_fini(struct gjkd_pinned_sets *pinned) {
    gjkd_pinned_sets_reset(pinned);
    pthread_mutex_destroy(&pinned->lock);
}

void gjkd_pinned_sets_reset(struct gjkd_pinned_sets *pinned) {
    tdestroy(pinned->names, unpin);
    pinned->names = NULL;
}

const struct gjkd_version *gjkd_pinned_sets_get(struct gjkd_pinned_sets *pinned,
                                                struct gjkd_registry *registry, const char *name,
                                                bool *no_memory) {
    *no_memory = false;
    pthread_mutex_lock(&pinned->lock);
    char *const *found = tfind(name, &pinned->names, compare_names);
    struct gjkd_version *version = found == NULL ? gjkd_registry_get(registry, name) : NULL;
    if (version != NULL && gjkd_memory_take(GJKD_CHARGE_LARGE, GJKD_TREE_NODE_BYTES)) {
        found = tsearch(version->name, &pinned->names, compare_names);
        if (found == NULL) {
            gjkd_memory_give(GJKD_CHARGE_LARGE, GJKD_TREE_NODE_BYTES);
        }
    }
    if (version != NULL && found == NULL) {
        *no_memory = true;
        gjkd_version_release(version);
    }
    pthread_mutex_unlock(&pinned->lock);
    return found != NULL ? version_of(*found) : NULL;
}
