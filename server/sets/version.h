#ifndef GJKD_SETS_VERSION_H
#define GJKD_SETS_VERSION_H

/*
 * One immutable version of a set: its bodies in a tree for queries, its ticks, and everything else
 * that GET answers. Any thread with a reference may read it without a lock; the last release frees
 * it. A writer builds the next version (version_edit.h) beside the current one and shares
 * everything that did not change.
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
 * Difference between a version and the log of its cluster: the state that the log has, and the
 * later ticks, which only move shapes and are broadcast without being written to the log one by
 * one.
 */
typedef struct gjkd_unlogged {
    struct gjk_set *base; /* the bodies of the logged state; NULL: those of the version itself */
    uint64_t base_ticks;  /* the newest logged tick, plus one; 0: none */
    uint32_t ticks;       /* number of ticks made since the logged state */
    bool is_merged;       /* the logged state is newer than some of these ticks, which were applied
                             to it afterwards */
    bool leads;           /* this node wrote the logged state, as a tick of moves or a checkpoint:
                             it may broadcast the next ticks */
    bool doubts;          /* another node may have broadcast ticks that this state lacks */
    bool owes;            /* some of these ticks were made here and are not in the log yet */
    uint64_t since_ns;    /* when this node wrote the logged state, by uv_hrtime */
} gjkd_unlogged;

/* Maximum number of consecutive ticks that are not in a cluster's log. */
#define GJKD_UNLOGGED_BITS 20
#define GJKD_UNLOGGED_MAX ((UINT32_C(1) << GJKD_UNLOGGED_BITS) - 1)

struct gjkd_version {
    gjkd_references references;
    struct gjkd_feed *feed; /* shared by all versions of the incarnation */
    uint64_t incarnation;   /* random number of the set's life, from creation to deletion */
    uint64_t revision;      /* 1, 2, ... */
    uint32_t nonce;         /* random bits of the write that made the revision; 0: the gjkd that
                               made it drew none */
    uint64_t order;         /* the revision; in a cluster, the log position of its newest message */
    uint64_t next_handle;   /* the smallest handle not given yet in the set's life */
    uint64_t revision_bound; /* exclusive bound of the revisions that ticks may use before the store
                                must store the set again; 0: no ticks are kept */
    uint32_t dimension;
    bool has_history;
    bool is_shared; /* of a cluster, where ticks that only move shapes raise no revision */
    uint32_t history_ticks;
    proto_text meta;
    struct gjk_set *set;          /* bodies, ordered by id (gjkd_stored_callbacks) */
    struct gjk_history *history;  /* NULL: no ticks are kept */
    gjkd_tick_totals tick_totals; /* sums over the history */
    gjkd_unlogged unlogged;       /* all zero unless is_shared */
    uint32_t points_max;          /* upper bound of the points that a query scans of one shape */
    uint32_t pieces_max;          /* upper bound of the pieces of one shape */
    uint64_t body_bytes;          /* memory of the bodies in `set` */
    uint64_t fresh_body_bytes;    /* part of body_bytes that the newest tick does not share */
    uint64_t fresh_order_bytes;   /* memory of tree nodes made since the newest tick */
    uint64_t bytes;               /* memory of everything that the version keeps */
    uint64_t made_bytes;          /* memory of all bodies and trees made so far in the set's life */
    uint64_t made_ticks;          /* ticks made so far in the set's life, on this node */
    uint64_t charged_bytes;       /* charged to the process: all but the bodies */
    char name[];                  /* meta follows */
};

/* Number of a tick, and digest of the request that makes it. */
typedef struct gjkd_stamp {
    uint64_t tick; /* above the newest tick */
    gjkd_digest digest;
    bool after_gap, is_missing; /* as in gjk_tick: set if this node lacks ticks */
} gjkd_stamp;

/* Returns the number of the newest tick, plus one, or 0 if there is none. */
uint64_t gjkd_version_ticks_end(const struct gjkd_version *version);

/* Returns the number that orders the versions of a set's life: the revision or, in a cluster, the
 * log position with the number of later ticks in the low GJKD_UNLOGGED_BITS bits. */
static inline uint64_t gjkd_version_seq(const struct gjkd_version *version) {
    return version->is_shared ? version->order << GJKD_UNLOGGED_BITS | version->unlogged.ticks
                              : version->order;
}

/* Returns its argument. */
struct gjkd_version *gjkd_version_retain(struct gjkd_version *version);
/* Releases a reference; NULL is allowed. The last one frees the version, on a worker if large
 * (work/memory.h). release_part estimates the bytes freed if other versions share the rest. */
void gjkd_version_release(struct gjkd_version *version);
void gjkd_version_release_part(struct gjkd_version *version, uint64_t bytes);

/*
 * Returns the memory that is kept only because of this version, given the set's newest one (NULL:
 * the set is deleted); 0 for the newest itself. It is an upper bound divided by the number of
 * references, so that the shares of all holders add up to the whole. O(1).
 */
uint64_t gjkd_version_pinned_bytes(const struct gjkd_version *version,
                                   const struct gjkd_version *newest);

/* Returns the state that edits are derived from. A view that lives as long as the version. */
proto_base gjkd_version_base(const struct gjkd_version *version);

proto_ticks gjkd_version_ticks(const struct gjkd_version *version);
proto_summary gjkd_version_summary(const struct gjkd_version *version);
proto_set_head gjkd_version_head(const struct gjkd_version *version);
void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]);
/* Formats the tag of a shape: of the write, in a cluster also the tick, that last changed it. */
void gjkd_shape_etag(const struct gjkd_version *version, const gjk_body *body,
                     char etag[GJKD_ETAG_MAX]);

/* Differences between two versions of a set. */

/* Adds the step from `from` to `to` (NULL: no set) to the set's feed. Called once readers see `to`,
 * for the changes of one set in order, by one thread at a time. */
void gjkd_delta_publish(const struct gjkd_version *from, struct gjkd_version *to);

/* The state of a version at an earlier tick, for queries and reads. */

/* Sets a problem with this code: the set keeps no ticks. Returns false. */
bool gjkd_refuse_without_ticks(const struct gjkd_version *version, proto_code code,
                               struct proto_problem *problem);

/*
 * Looks up a tick, which may be fractional. Returns false with TICK_EXPIRED if it is older than the
 * oldest one or no ticks are kept, with TICK_IN_FUTURE if it is newer than the newest. *out is a
 * view that lives as long as the version.
 */
bool gjkd_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out,
                 struct proto_problem *problem) GJK_MUST_USE;

#endif
