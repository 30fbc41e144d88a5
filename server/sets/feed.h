#ifndef GJKD_SETS_FEED_H
#define GJKD_SETS_FEED_H

/*
 * The feed of a set: a ring of the last changes, and the listeners to new ones. All
 * versions of one incarnation share it. Commits fill it, in the order of versions; listeners look
 * up the newest version themselves. Thread-safe.
 */

#include "util/references.h"

#include "gjk/arena.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The changes that are kept, and their bytes; the oldest are forgotten first. */
#define GJKD_FEED_CHANGES_MAX 1024
#define GJKD_FEED_BYTES_MAX ((uint64_t)16 << 20)

/*
 * Changes of one commit, by names and not by contents: a reader looks up in a later
 * version what became of them. Immutable once it is made (version.h).
 */
struct gjkd_delta {
    uint64_t from, to;    /* of versions in their order, from < to */
    uint32_t from_nonce;  /* of the write that made the first version */
    bool meta, history;   /* whether these differ */
    uint32_t count, gone; /* shapes that are new or differ, and shapes that are gone */
    size_t ids_bytes;     /* of `ids`, each with a NUL */
    const char *ids;      /* of those that are gone, one behind the other */
    size_t bytes;         /* of the block, charged to the process as GJKD_CHARGE_SETS */
    uint32_t handles[];   /* of the others, in increasing order; then ids */
};

struct gjkd_version;

/* Called on every new version, and with NULL twice on deletion. Under the feed's lock: it must not
 * block, must not call the feed, and takes O(1), for the writer waits. */
struct gjkd_listener {
    void (*notify)(struct gjkd_listener *listener, const struct gjkd_version *from,
                   struct gjkd_version *to);
};

struct gjkd_feed {
    gjkd_references references;
    pthread_mutex_t lock;           /* of what follows */
    uint64_t newest;                /* version, in that order, up to which changes are known */
    bool has_ended;                 /* the set is deleted */
    struct gjkd_listener *listener; /* NULL: none */
    struct gjkd_delta **ring;       /* of `capacity`, the oldest at `first` */
    uint32_t capacity, first, count;
    uint64_t bytes;
};

/* A feed without changes, at that version. One reference. NULL: out of memory. */
struct gjkd_feed *gjkd_feed_new(uint64_t order);
/* Another version for a feed that nobody has seen yet. */
void gjkd_feed_begin(struct gjkd_feed *feed, uint64_t order);
struct gjkd_feed *gjkd_feed_retain(struct gjkd_feed *feed);
void gjkd_feed_release(struct gjkd_feed *feed); /* NULL is allowed */

/* Version `to`, of the order `newest`, is the current one now. Takes what it has changed; NULL:
 * there was no memory for that, and all changes are forgotten. To be called by the writer of the
 * set. */
void gjkd_feed_add(struct gjkd_feed *feed, const struct gjkd_version *from, struct gjkd_version *to,
                   uint64_t newest, struct gjkd_delta *delta);

/* The set is deleted. */
void gjkd_feed_end(struct gjkd_feed *feed);

/* Several changes in a row, joined to one: each shape is named once. */
typedef struct gjkd_changes {
    bool meta, history;
    const uint32_t *handles; /* of shapes that were changed */
    size_t count;
    const char *const *ids; /* of shapes that were removed, and may be there again */
    size_t gone;
} gjkd_changes;

typedef enum gjkd_collected {
    GJKD_COLLECTED,
    GJKD_COLLECT_LATER,     /* a commit is about to add the last of them */
    GJKD_COLLECT_NOT_KEPT,  /* since is too old, or no version of the set */
    GJKD_COLLECT_ENDED,     /* the set is deleted */
    GJKD_COLLECT_NO_MEMORY, /* in the arena */
} gjkd_collected;

/* A version that a reader has. */
typedef struct gjkd_since {
    uint64_t order;
    bool has_nonce; /* it names the write that made it, too */
    uint32_t nonce;
} gjkd_since;

/* The changes after version `since`, up to `upto`, in the arena. */
gjkd_collected gjkd_feed_collect(struct gjkd_feed *feed, const gjkd_since *since, uint64_t upto,
                                 struct gjk_arena *arena, gjkd_changes *out);

/* Orders handles, for arrays of uint32_t. */
int gjkd_compare_handles(const void *a, const void *b);

#endif
