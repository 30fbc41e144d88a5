#ifndef GJKD_SETS_FEED_H
#define GJKD_SETS_FEED_H

/*
 * The feed of a set: a list of its last changes, and a listener to new versions. All versions of
 * one incarnation share it. Commits append changes in the order of versions. Thread-safe.
 */

#include "util/references.h"

#include "gjk/arena.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of changes kept, and of their bytes; the oldest are dropped first. */
#define GJKD_FEED_CHANGES_MAX 1024
#define GJKD_FEED_BYTES_MAX ((uint64_t)16 << 20)

/*
 * The shapes that one commit changed, without their contents: a reader looks up the contents in a
 * later version. Immutable once made (version.h).
 */
struct gjkd_delta {
    struct gjkd_delta *next; /* the next change of the feed */
    uint64_t from, to;       /* gjkd_version_seq of the versions before and after; from < to */
    uint32_t from_nonce;     /* nonce of version `from` */
    bool meta, history;      /* whether meta and the settings of the history differ */
    uint32_t count, gone;    /* number of new or changed shapes, and of removed ones */
    size_t ids_bytes;        /* size of `ids`, including the NUL of each */
    const char *ids;         /* ids of removed shapes, one after another */
    size_t bytes;            /* size of the block, charged as GJKD_CHARGE_SETS */
    uint32_t handles[];      /* of new and changed shapes, in increasing order; the ids follow */
};

struct gjkd_version;

/* Called on every new version, and on deletion with NULL for both. The call holds the feed's lock
 * and the writer waits for it: it takes O(1), must not block and must not call the feed. */
struct gjkd_listener {
    void (*notify)(struct gjkd_listener *listener, const struct gjkd_version *from,
                   struct gjkd_version *to);
};

struct gjkd_feed {
    gjkd_references references;
    pthread_mutex_t lock;            /* protects all members below */
    uint64_t newest;                 /* gjkd_version_seq of the newest version that was added */
    bool has_ended;                  /* the set is deleted */
    struct gjkd_listener *listener;  /* NULL: none */
    struct gjkd_delta *first, **end; /* the changes, oldest first */
    uint32_t count;
    uint64_t bytes;
};

/* Makes a feed without changes whose first version is `order` (a gjkd_version_seq). One reference,
 * the caller's. Returns NULL if memory is exhausted. */
struct gjkd_feed *gjkd_feed_new(uint64_t order);
/* Replaces the first version of a feed that no other thread has seen yet. */
void gjkd_feed_begin(struct gjkd_feed *feed, uint64_t order);
struct gjkd_feed *gjkd_feed_retain(struct gjkd_feed *feed);
void gjkd_feed_release(struct gjkd_feed *feed); /* NULL is allowed */

/* Announces `to`, whose gjkd_version_seq is `newest`, as the current version. Takes ownership of
 * delta; NULL (no memory for it) drops all changes. Only the set's writer calls this. */
void gjkd_feed_add(struct gjkd_feed *feed, const struct gjkd_version *from, struct gjkd_version *to,
                   uint64_t newest, struct gjkd_delta *delta);

/* Ends the feed because the set is deleted. */
void gjkd_feed_end(struct gjkd_feed *feed);

/* Consecutive changes merged into one: each shape is named once. */
typedef struct gjkd_changes {
    bool meta, history;
    const uint32_t *handles; /* of new and changed shapes */
    size_t count;
    const char *const *ids; /* of removed shapes, which may exist again */
    size_t gone;
} gjkd_changes;

typedef enum gjkd_collected {
    GJKD_COLLECTED,
    GJKD_COLLECT_LATER,     /* the commit of `upto` has not added its changes yet */
    GJKD_COLLECT_NOT_KEPT,  /* `since` is too old or was never a version of the set */
    GJKD_COLLECT_ENDED,     /* the set is deleted */
    GJKD_COLLECT_NO_MEMORY, /* the arena has no memory for the result */
} gjkd_collected;

/* The version that a reader has already. */
typedef struct gjkd_since {
    uint64_t order;
    bool has_nonce; /* whether the nonce is known and has to match */
    uint32_t nonce;
} gjkd_since;

/* Merges the changes after version `since` up to and including `upto` into the arena. */
gjkd_collected gjkd_feed_collect(struct gjkd_feed *feed, const gjkd_since *since, uint64_t upto,
                                 struct gjk_arena *arena, gjkd_changes *out);

/* Compares two handles: for qsort on arrays of uint32_t. */
int gjkd_compare_handles(const void *a, const void *b);

#endif
