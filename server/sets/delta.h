#ifndef GJKD_SETS_DELTA_H
#define GJKD_SETS_DELTA_H

/* Differences between two versions of a set. */

#include "sets/feed.h"
#include "sets/version.h"

/*
 * The difference between two versions of one incarnation. A shape that GET shows the same does not
 * differ. O(differences * log n) where one was made from the other by edits, O(n) else. NULL: out
 * of memory.
 */
struct gjkd_delta *gjkd_delta_new(const struct gjkd_version *from, const struct gjkd_version *to);

/* Tells the feed of a set, once readers see it, that `to` (NULL: no set) has come after `from`
 * (NULL: no set). Changes of one set are told in their order, by one thread at a time. */
void gjkd_delta_tell(const struct gjkd_version *from, const struct gjkd_version *to);

/* Calls visit, in the order of handles, for each shape that GET shows otherwise in the two
 * versions; NULL stands for none. */
void gjkd_versions_diff(const struct gjkd_version *from, const struct gjkd_version *to,
                        gjk_set_visitor visit, void *user);

bool gjkd_same_meta(const struct gjkd_version *a, const struct gjkd_version *b);
bool gjkd_same_history(const struct gjkd_version *a, const struct gjkd_version *b);

#endif
