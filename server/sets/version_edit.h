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
    uint32_t mark, dimension;
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

#endif
