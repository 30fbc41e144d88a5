#ifndef GJKD_SETS_VERSION_H
#define GJKD_SETS_VERSION_H

/*
 * One immutable version of a set: the bodies in a tree for queries, the ticks that it keeps, and
 * what else GET answers. Any thread with a reference may read it without a lock; the last release
 * frees it. A writer builds the next version (version_edit.h)
 * beside the current one and shares everything that did not change.
 */

#include "gjk/history.h"
#include "proto/reply.h"
#include "sets/etag.h"
#include "sets/feed.h"
#include "sets/kept_ticks.h"
#include "sets/stored.h"
#include "util/references.h"

struct gjkd_feed;

/*
 * State of a set of a cluster beside the log: what the log has of it, and the later ticks, which
 * only move shapes and are not in the log one by one.
 */
typedef struct gjkd_unlogged {
    struct gjk_set *base; /* the bodies as the log has them; NULL: those of the version itself */
    uint64_t base_ticks;  /* the newest tick that the log has, plus one; 0: none */
    uint32_t ticks;       /* made since then, in their order */
    bool is_merged;       /* what the log has came after some of them: they are no edits of it */
    bool leads;           /* this node has written what the log has, as a tick: it may make more */
    bool doubts;          /* another node may have sent ticks that no other has received */
    bool owes;            /* some of them were made here, and the log lacks them */
    uint64_t since_ns;    /* of uv_hrtime: when this node has written that tick */
} gjkd_unlogged;

/* Maximum number of ticks in a row that the log of a cluster may lack. */
#define GJKD_UNLOGGED_BITS 20
#define GJKD_UNLOGGED_MAX ((UINT32_C(1) << GJKD_UNLOGGED_BITS) - 1)

struct gjkd_version {
    gjkd_references references;
    struct gjkd_feed *feed; /* of what happens to the set; all versions of its life share it */
    uint64_t incarnation;   /* random, the same for all versions of a set's life */
    uint64_t revision;      /* 1, 2, ... */
    uint32_t nonce;         /* random bits of the write that made the revision; 0: it was made by a
                               gjkd that drew none */
    uint64_t
        order; /* the revision; in a cluster the place of the log that it was made by or upon */
    uint64_t next_handle;    /* the smallest handle never given since the set was created */
    uint64_t revision_bound; /* while ticks are kept, which no store has: above every revision that
                                may be given before the store hears of the set again; else 0 */
    uint32_t dimension;
    bool has_history;
    bool is_shared; /* by the nodes of a cluster, where ticks that move shapes raise no revision */
    uint32_t history_ticks;
    proto_text meta;
    struct gjk_set *set;          /* bodies in the order of ids, kept by gjkd_stored_callbacks */
    struct gjk_history *history;  /* NULL: it keeps no ticks */
    gjkd_tick_totals tick_totals; /* of these ticks */
    gjkd_unlogged unlogged;       /* all zero unless is_shared */
    uint32_t points_max;          /* at least the points that a query scans of any shape */
    uint32_t pieces_max;          /* at least the pieces of any shape */
    uint64_t body_bytes;          /* of the bodies in set */
    uint64_t fresh_body_bytes;    /* of those that the newest tick does not share */
    uint64_t fresh_order_bytes;   /* of tree nodes made since then */
    uint64_t bytes;               /* memory of everything it keeps */
    uint64_t made_bytes;          /* of all bodies and trees made in the set's life so far */
    uint64_t made_ticks;          /* in the set's life so far, on this node */
    uint64_t charged_bytes;       /* to the process: all but the bodies, which charge themselves */
    char name[];                  /* then meta */
};

/* A tick, and the digest of the request that makes it. */
typedef struct gjkd_stamp {
    uint64_t tick; /* above the newest */
    gjkd_digest digest;
    bool after_gap, is_missing; /* as in gjk_tick: set where this node lacks ticks */
} gjkd_stamp;

/* The newest tick, plus one; 0: there is none. */
uint64_t gjkd_version_ticks_end(const struct gjkd_version *version);

/* Returns the number that orders the versions of a set's life: in a cluster the place of the log
 * and, in the low GJKD_UNLOGGED_BITS, the ticks that have come since. */
static inline uint64_t gjkd_version_seq(const struct gjkd_version *version) {
    return version->is_shared ? version->order << GJKD_UNLOGGED_BITS | version->unlogged.ticks
                              : version->order;
}

/* Returns its argument. */
struct gjkd_version *gjkd_version_retain(struct gjkd_version *version);
/* Releases a reference; NULL is allowed. The last one frees the version: on a worker if that is
 * much (work/memory.h). release_part says how many bytes that frees, because others share the
 * rest. */
void gjkd_version_release(struct gjkd_version *version);
void gjkd_version_release_part(struct gjkd_version *version, uint64_t bytes);

/*
 * Returns the memory that is kept only because of this version, now that `newest` is the set's
 * newest one; NULL: the set is gone. 0 for the newest itself. An upper bound, divided by the number
 * of references to the version, so that the shares of all holders add up to the whole. O(1).
 */
uint64_t gjkd_version_pinned_bytes(const struct gjkd_version *version,
                                   const struct gjkd_version *newest);

/* Returns the base that edits are derived from. A view that lives as long as the version. */
proto_base gjkd_version_base(const struct gjkd_version *version);

/* The first index whose name is not less than name, in an array sorted by name. O(log count). */
size_t gjkd_versions_lower_bound(struct gjkd_version *const *versions, size_t count,
                                 const char *name);

proto_ticks gjkd_version_ticks(const struct gjkd_version *version);
proto_summary gjkd_version_summary(const struct gjkd_version *version);
void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]);
/* The tag of one of its shapes: of the write, and in a cluster the tick, that has last changed
 * it. */
void gjkd_shape_etag(const struct gjkd_version *version, const gjk_body *body,
                     char etag[GJKD_ETAG_MAX]);

/* Differences between two versions of a set. */

/* Notes in the feed of a set, once readers see it, that `to` (NULL: no set) has come after `from`
 * (NULL: no set). Changes of one set are reported in order, by one thread at a time. */
void gjkd_delta_publish(const struct gjkd_version *from, struct gjkd_version *to);

/* A version as of a tick in its history, for queries and reads. */

/* Refuses with that code because the set keeps no ticks. Returns false. */
bool gjkd_refuse_without_ticks(const struct gjkd_version *version, proto_code code,
                               struct proto_problem *problem);

/*
 * Looks the tick up, which may be fractional. False: TICK_EXPIRED if it is older than the oldest
 * one or none is kept, TICK_IN_FUTURE if it is newer than the newest. *out is a view that lives as
 * long as the version.
 */
bool gjkd_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out,
                 struct proto_problem *problem) GJK_MUST_USE;

#endif
