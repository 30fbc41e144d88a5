#ifndef GJKD_SETS_VERSION_H
#define GJKD_SETS_VERSION_H

/*
 * One immutable version of a set: the bodies in a tree for queries, the ticks that it keeps, and
 * what else GET answers. Whoever holds a reference may read it without a lock, on any thread; the
 * last release frees it. A writer builds the next version beside the current one and shares
 * everything that did not change.
 */

#include "gjk/history.h"
#include "proto/reply.h"
#include "sets/etag.h"
#include "sets/stored.h"
#include "sets/tick_ring.h"
#include "util/references.h"

struct gjkd_version {
    gjkd_references references;
    uint64_t incarnation; /* random, the same for all versions of a set's life */
    uint64_t revision;    /* 1, 2, ... */
    uint64_t next_handle; /* the smallest handle never given since the set was created */
    uint32_t dimension;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
    struct gjk_set *set;         /* bodies in the order of ids, kept by gjkd_stored_keeper */
    struct gjk_history *history; /* NULL: it keeps no ticks */
    gjkd_tick_ring tick_ring;    /* of these ticks; for the set's writer only */
    uint32_t points_max;         /* at least the points that a query scans of any shape */
    uint32_t pieces_max;         /* at least the pieces of any shape */
    uint64_t body_bytes;         /* of the bodies in set */
    uint64_t fresh_body_bytes;   /* of those that the newest tick does not share */
    uint64_t fresh_order_bytes;  /* of tree nodes made since then */
    uint64_t bytes;              /* memory of everything it keeps */
    uint64_t charged_bytes;      /* to the budget: all but the bodies, which charge themselves */
    char name[];                 /* then meta */
};

/*
 * Builds the version that follows previous (NULL: the first of a new incarnation) from a
 * decoded body, copying all it needs, without ticks. Ids that previous has keep their handles,
 * new ones get fresh ones in the order of ids. One reference, the caller's. O(n log n).
 * GJK_OUT_OF_MEMORY; GJK_OUT_OF_RANGE when the handles of the set's life are used up.
 */
gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous,
                            struct gjkd_version **out) GJK_MUST_USE;

/* A tick, and the digest of the request that makes it. */
typedef struct gjkd_stamp {
    uint64_t tick; /* above the newest */
    gjkd_digest digest;
} gjkd_stamp;

/*
 * The same from edits derived from previous, whose bodies they name. stamp: NULL, or the tick under
 * which the new version is added to its history (previous->history is not NULL then).
 * O(edits * log n + ticks). To be called by the writer of the set.
 */
gjk_status gjkd_version_edit(const struct gjkd_version *previous, const proto_edits *edits,
                             const gjkd_stamp *stamp, struct gjkd_version **out) GJK_MUST_USE;

/* Returns its argument. */
struct gjkd_version *gjkd_version_retain(struct gjkd_version *version);
/* NULL is allowed. The last release frees the version: a large one on a worker (deferred_free.h).
 * */
void gjkd_version_release(struct gjkd_version *version);

/* What edits are derived from. A view that lives as long as the version. */
proto_base gjkd_version_base(const struct gjkd_version *version);

/* The first index whose name is not less than name, in an array sorted by name. O(log count). */
size_t gjkd_versions_lower_bound(struct gjkd_version *const *versions, size_t count,
                                 const char *name);

proto_ticks gjkd_version_ticks(const struct gjkd_version *version);
proto_summary gjkd_version_summary(const struct gjkd_version *version);
void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]);

#endif
