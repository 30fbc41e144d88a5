#ifndef GJKD_SETS_VERSION_EDIT_H
#define GJKD_SETS_VERSION_EDIT_H

/* Building versions: from a whole set, from edits of the previous version, and from stored data. */

#include "sets/version.h"

/*
 * Builds the successor of previous (NULL: the first version of a new incarnation) from a decoded
 * body, copying all it needs, without ticks. Ids that previous has keep their handles; new ids get
 * new handles in the order of ids. One reference, the caller's. O(n log n). Returns
 * GJK_OUT_OF_MEMORY; GJK_OUT_OF_RANGE if the incarnation has no handles left; GJK_GIVEN_UP if the
 * budget (NULL: unlimited) is spent.
 */
gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous, gjk_budget *budget,
                            struct gjkd_version **out) GJK_MUST_USE;

/*
 * Builds the successor from edits derived from previous, whose bodies they refer to; errors as
 * above. stamp: NULL, or the tick as which the new version is added to the history
 * (previous->history is not NULL then). Only the set's writer calls this. O(edits * log n + ticks).
 */
gjk_status gjkd_version_edit(const struct gjkd_version *previous, const proto_edits *edits,
                             const gjkd_stamp *stamp, gjk_budget *budget,
                             struct gjkd_version **out) GJK_MUST_USE;

/* A set as stored on disk or in a log, without ticks. */
typedef struct gjkd_restored {
    const char *name;
    uint64_t incarnation, revision, next_handle;
    uint32_t nonce, dimension;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
    gjk_edit *edits; /* the bodies (stored.h), ordered by id, with their original handles */
    uint32_t count;
} gjkd_restored;

/* Builds a version from stored data. Takes ownership of the bodies and of the array, even on
 * failure. One reference, the caller's. O(n log n). */
gjk_status gjkd_version_restore(const gjkd_restored *restored,
                                struct gjkd_version **out) GJK_MUST_USE;

/* Gives a new incarnation to a version that no other thread has seen yet. Returns false if memory
 * is exhausted or the kernel has no random numbers. */
bool gjkd_version_renew_incarnation(struct gjkd_version *version, uint64_t revision) GJK_MUST_USE;

/*
 * Versions in a cluster: they are built from changes of other nodes, and numbered by their position
 * in the log.
 */

/* The changes that lead from one version to the next, as another node published them. */
typedef struct gjkd_successor {
    gjkd_restored set; /* with the numbers of the new version; edits: ordered by id, with NULL as
                          the body of a removed shape */
    bool is_whole;     /* the edits are the whole set, and no ticks are kept */
    const gjkd_stamp *stamp; /* NULL: the version is no tick */
    uint64_t ticks_end;      /* with a stamp: older ticks numbered from this on are dropped */
    uint64_t order;
    gjkd_unlogged unlogged; /* the version retains its base */
} gjkd_successor;

/* Builds the version upon previous (NULL: there is no set, or another incarnation of it). Takes
 * ownership as gjkd_version_restore does. One reference, the caller's. */
gjk_status gjkd_version_succeed(const struct gjkd_version *previous,
                                const gjkd_successor *successor,
                                struct gjkd_version **out) GJK_MUST_USE;

/*
 * Assigns the log position `order` to a version that no other thread has seen yet. from: the
 * version before; NULL: the version is the first of its life and gets the incarnation. is_quiet: it
 * keeps the revision and nonce of `from`; otherwise its revision is the position, and it gets the
 * nonce. O(new bodies).
 */
void gjkd_version_number(struct gjkd_version *version, const struct gjkd_version *from,
                         uint64_t incarnation, bool is_quiet, uint64_t order, uint32_t nonce);

/* Numbers a version, not seen by another thread yet, as the next unlogged tick after `from`. */
void gjkd_version_number_tick(struct gjkd_version *version, const struct gjkd_version *from);

/* Returns the bodies of the state that the cluster's log has. A view. */
static inline struct gjk_set *gjkd_version_base_set(const struct gjkd_version *version) {
    return version->unlogged.base != NULL ? version->unlogged.base : version->set;
}

/* Returns true if another node of the cluster has made the set's ticks, so that this node may lack
 * some. Then the time between the newest tick and one that is made here is a gap. */
bool gjkd_version_may_lack_ticks(const struct gjkd_version *version);

/* Returns the newest logged tick, plus one, or 0 if there is none. */
uint64_t gjkd_version_base_ticks(const struct gjkd_version *version);

#endif
