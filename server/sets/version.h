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
#include "sets/kept_ticks.h"
#include "sets/stored.h"
#include "util/references.h"

struct gjkd_feed;

/*
 * Of a set of a cluster, whose ticks that only move shapes are not in the log one by one: what the
 * log has of it, and the ticks that have come since.
 */
typedef struct gjkd_unlogged {
    struct gjk_set *base; /* the bodies as the log has them; NULL: those of the version itself */
    uint64_t base_ticks;  /* the newest tick that the log has, plus one; 0: none */
    uint32_t ticks;       /* made since then, in their order */
    bool is_merged;       /* what the log has came after some of them: they are no edits of it */
    bool leads;           /* this node has written what the log has, as a tick: it may make more */
    bool doubts;          /* another node may have told ticks that nobody else has heard of */
    bool owes;            /* some of them were made here, and the log lacks them */
    uint64_t since_ns;    /* of uv_hrtime: when this node has written that tick */
} gjkd_unlogged;

/* Ticks that may follow each other without one in the log. */
#define GJKD_UNLOGGED_BITS 20
#define GJKD_UNLOGGED_MAX ((UINT32_C(1) << GJKD_UNLOGGED_BITS) - 1)

struct gjkd_version {
    gjkd_references references;
    struct gjkd_feed *feed; /* of what happens to the set; all versions of its life share it */
    uint64_t incarnation;   /* random, the same for all versions of a set's life */
    uint64_t revision;      /* 1, 2, ... */
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
    struct gjk_set *set;          /* bodies in the order of ids, kept by gjkd_stored_keeper */
    struct gjk_history *history;  /* NULL: it keeps no ticks */
    gjkd_tick_totals tick_totals; /* of these ticks */
    gjkd_unlogged unlogged;       /* all zero unless is_shared */
    uint32_t points_max;          /* at least the points that a query scans of any shape */
    uint32_t pieces_max;          /* at least the pieces of any shape */
    uint64_t body_bytes;          /* of the bodies in set */
    uint64_t fresh_body_bytes;    /* of those that the newest tick does not share */
    uint64_t fresh_order_bytes;   /* of tree nodes made since then */
    uint64_t bytes;               /* memory of everything it keeps */
    uint64_t charged_bytes;       /* to the budget: all but the bodies, which charge themselves */
    char name[];                  /* then meta */
};

/*
 * Builds the version that follows previous (NULL: the first of a new incarnation) from a
 * decoded body, copying all it needs, without ticks. Ids that previous has keep their handles,
 * new ones get fresh ones in the order of ids. One reference, the caller's. O(n log n).
 * GJK_OUT_OF_MEMORY; GJK_OUT_OF_RANGE when the handles of the set's life are used up; GJK_GIVEN_UP
 * where patience (NULL: endless) ends.
 */
gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous, const gjk_patience *patience,
                            struct gjkd_version **out) GJK_MUST_USE;

/* A tick, and the digest of the request that makes it. */
typedef struct gjkd_stamp {
    uint64_t tick; /* above the newest */
    gjkd_digest digest;
    bool after_gap, is_missing; /* as in gjk_tick: of a node that lacks ticks */
} gjkd_stamp;

/*
 * The same from edits derived from previous, whose bodies they name. stamp: NULL, or the tick under
 * which the new version is added to its history (previous->history is not NULL then).
 * O(edits * log n + ticks). To be called by the writer of the set.
 */
gjk_status gjkd_version_edit(const struct gjkd_version *previous, const proto_edits *edits,
                             const gjkd_stamp *stamp, const gjk_patience *patience,
                             struct gjkd_version **out) GJK_MUST_USE;

/* A set as it was kept elsewhere, without ticks. */
typedef struct gjkd_restored {
    const char *name;
    uint64_t incarnation, revision, next_handle;
    uint32_t dimension;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
    gjk_edit *edits; /* its bodies (stored.h) in the order of ids, with the handles that they had */
    uint32_t count;
} gjkd_restored;

/* Builds the version again; takes the bodies over, whether or not there is memory for it, and the
 * array with them. One reference, the caller's. O(n log n). */
gjk_status gjkd_version_restore(const gjkd_restored *restored,
                                struct gjkd_version **out) GJK_MUST_USE;

/* What makes a version of the one before it, as it was told by another node. */
typedef struct gjkd_successor {
    gjkd_restored set; /* with the numbers that it has; edits: in the order of ids, of bodies or
                                NULL for a shape that is gone */
    bool is_whole;     /* edits are all shapes there are, and no ticks are kept */
    const gjkd_stamp *stamp; /* NULL: it is no tick */
    uint64_t ticks_end;      /* with a stamp: ticks from that one on are let go */
    uint64_t order;
    gjkd_unlogged unlogged; /* base: retained for the version */
} gjkd_successor;

/* Builds it upon previous (NULL: there is no set, or another life of it); takes bodies and array
 * over as gjkd_version_restore does. One reference, the caller's. */
gjk_status gjkd_version_succeed(const struct gjkd_version *previous,
                                const gjkd_successor *successor,
                                struct gjkd_version **out) GJK_MUST_USE;

/* Gives a version of a cluster, that nobody else has seen yet, its place in the log. is_first: of its
 * life, which gets that incarnation. revision_of: a version whose revision it has; NULL: that is the
 * place. */
void gjkd_version_number(struct gjkd_version *version, bool is_first, uint64_t incarnation,
                         const struct gjkd_version *revision_of, uint64_t order);

/* Makes it the next tick that the log does not have, upon `from`; nobody else has seen it yet. */
void gjkd_version_number_tick(struct gjkd_version *version, const struct gjkd_version *from);

/* The bodies as the log of a cluster has them. A view. */
static inline struct gjk_set *gjkd_version_base_set(const struct gjkd_version *version) {
    return version->unlogged.base != NULL ? version->unlogged.base : version->set;
}

/* Of a set of a cluster: another node has made its ticks, and this one may not have heard of all, so
 * that nothing is known of the time between the newest and a tick that is made here. */
bool gjkd_version_may_lack_ticks(const struct gjkd_version *version);

/* The newest tick, plus one; 0: there is none. */
uint64_t gjkd_version_ticks_end(const struct gjkd_version *version);

/* The newest tick that the log has, plus one; 0: there is none. */
uint64_t gjkd_version_base_ticks(const struct gjkd_version *version);

/* Where a version stands among those of its life: in a cluster the place of the log and, in the low
 * GJKD_UNLOGGED_BITS, the ticks that have come since. */
static inline uint64_t gjkd_version_moment(const struct gjkd_version *version) {
    return version->is_shared ? version->order << GJKD_UNLOGGED_BITS | version->unlogged.ticks
                              : version->order;
}

/* Draws another incarnation for a version that nobody else has seen yet. False: the kernel has no
 * random numbers. */
bool gjkd_version_renew(struct gjkd_version *version, uint64_t revision) GJK_MUST_USE;

/* Returns its argument. */
struct gjkd_version *gjkd_version_retain(struct gjkd_version *version);
/* NULL is allowed. The last release frees the version: a large one on a worker (deferred_free.h). Or
 * one that frees so many bytes, because others share the rest. */
void gjkd_version_release(struct gjkd_version *version);
void gjkd_version_release_part(struct gjkd_version *version, uint64_t bytes);

/* What edits are derived from. A view that lives as long as the version. */
proto_base gjkd_version_base(const struct gjkd_version *version);

/* The first index whose name is not less than name, in an array sorted by name. O(log count). */
size_t gjkd_versions_lower_bound(struct gjkd_version *const *versions, size_t count,
                                 const char *name);

proto_ticks gjkd_version_ticks(const struct gjkd_version *version);
proto_summary gjkd_version_summary(const struct gjkd_version *version);
void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]);

#endif
