#ifndef GJKD_SETS_VERSION_EDIT_H
#define GJKD_SETS_VERSION_EDIT_H

/*
 * New versions of sets: from a whole set, from edits of the one before, and from what was kept in a
 * file.
 */

#include "sets/version.h"

/*
 * Builds the version that follows previous (NULL: the first of a new incarnation) from a
 * decoded body, copying all it needs, without ticks. Ids that previous has keep their handles,
 * new ones get fresh ones in the order of ids. One reference, the caller's. O(n log n).
 * GJK_OUT_OF_MEMORY; GJK_OUT_OF_RANGE when the handles of the set's life are used up; GJK_GIVEN_UP
 * where the budget (NULL: endless) is spent.
 */
gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous, gjk_budget *budget,
                            struct gjkd_version **out) GJK_MUST_USE;

/*
 * The same from edits derived from previous, whose bodies they name. stamp: NULL, or the tick under
 * which the new version is added to its history (previous->history is not NULL then).
 * O(edits * log n + ticks). To be called by the writer of the set.
 */
gjk_status gjkd_version_edit(const struct gjkd_version *previous, const proto_edits *edits,
                             const gjkd_stamp *stamp, gjk_budget *budget,
                             struct gjkd_version **out) GJK_MUST_USE;

/* A set as it was kept elsewhere, without ticks. */
typedef struct gjkd_restored {
    const char *name;
    uint64_t incarnation, revision, next_handle;
    uint32_t nonce, dimension;
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

/* Draws another incarnation for a version that nobody else has seen yet. False: the kernel has no
 * random numbers. */
bool gjkd_version_renew(struct gjkd_version *version, uint64_t revision) GJK_MUST_USE;

/*
 * Versions of sets that the nodes of a cluster share: what another node has made is built upon what
 * this one has, and versions get their places in the log.
 */

/* Changes that make a version of the one before it, as another node published them. */
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

/* Gives a version of a cluster, that nobody else has seen yet, its place in the log. from: the
 * version before; NULL: it is the first of its life, which gets that incarnation. is_quiet: it has
 * the revision and nonce of `from`; else the revision is the place, and has this nonce. O(bodies
 * that are new). */
void gjkd_version_number(struct gjkd_version *version, const struct gjkd_version *from,
                         uint64_t incarnation, bool is_quiet, uint64_t order, uint32_t nonce);

/* Makes it the next tick that the log does not have, upon `from`; nobody else has seen it yet. */
void gjkd_version_number_tick(struct gjkd_version *version, const struct gjkd_version *from);

/* The bodies as the log of a cluster has them. A view. */
static inline struct gjk_set *gjkd_version_base_set(const struct gjkd_version *version) {
    return version->unlogged.base != NULL ? version->unlogged.base : version->set;
}

/* Returns true if another node of the cluster has made the set's ticks and this one may lack some.
 * Then nothing is known of the time between the newest and a tick that is made here. */
bool gjkd_version_may_lack_ticks(const struct gjkd_version *version);

/* The newest tick that the log has, plus one; 0: there is none. */
uint64_t gjkd_version_base_ticks(const struct gjkd_version *version);

#endif
