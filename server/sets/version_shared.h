#ifndef GJKD_SETS_VERSION_SHARED_H
#define GJKD_SETS_VERSION_SHARED_H

/*
 * Versions of sets that the nodes of a cluster share: what another node has made is built upon what
 * this one has, and versions get their places in the log.
 */

#include "sets/version_edit.h"

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

/* Gives a version of a cluster, that nobody else has seen yet, its place in the log. is_first: of
 * its life, which gets that incarnation. revision_of: a version whose revision it has, with its
 * mark; NULL: the revision is the place, and has this mark. */
void gjkd_version_number(struct gjkd_version *version, bool is_first, uint64_t incarnation,
                         const struct gjkd_version *revision_of, uint64_t order, uint32_t mark);

/* Makes it the next tick that the log does not have, upon `from`; nobody else has seen it yet. */
void gjkd_version_number_tick(struct gjkd_version *version, const struct gjkd_version *from);

/* The bodies as the log of a cluster has them. A view. */
static inline struct gjk_set *gjkd_version_base_set(const struct gjkd_version *version) {
    return version->unlogged.base != NULL ? version->unlogged.base : version->set;
}

/* Of a set of a cluster: another node has made its ticks, and this one may not have heard of all,
 * so that nothing is known of the time between the newest and a tick that is made here. */
bool gjkd_version_may_lack_ticks(const struct gjkd_version *version);

/* The newest tick that the log has, plus one; 0: there is none. */
uint64_t gjkd_version_base_ticks(const struct gjkd_version *version);

#endif
