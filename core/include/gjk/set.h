#ifndef GJK_SET_H
#define GJK_SET_H

/*
 * A scene: bodies in the total order of their ids (bytewise), immutable. An edit makes a new
 * set beside the old one and shares with it what did not change. References are counted: a set
 * may be read, retained and released by any number of threads.
 */

#include "gjk/body.h"
#include "gjk/budget.h"

GJK_BEGIN

struct gjk_set;

/* One body inserted (replacing the one of the same id, if any) or, NULL, removed. */
typedef struct gjk_edit {
    const char *id;
    const gjk_body *body; /* NULL: remove; otherwise body->id equals id */
} gjk_edit;

/*
 * A set of count bodies, all of the given dimension, in any order, which it borrows: the array
 * and what it points to must outlive the set. It has no tree, nor have sets that edits make of it,
 * since that would cost more than a query of all bodies: for more than a few queries use
 * gjk_set_new_indexed. One reference, the caller's. O(n log n). DUPLICATE_ID, OUT_OF_MEMORY.
 */
gjk_status gjk_set_new(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                       struct gjk_set **out) GJK_MUST_USE;

/*
 * The same with the tree that queries of many bodies need. Handles are unique.
 *
 *     struct gjk_set *set;
 *     if (gjk_set_new_indexed(3, bodies, count, &set) == GJK_OK) {
 *         gjk_snapshot snapshot = gjk_snapshot_of(set);
 *         ... gjk_set_raycast(&snapshot, ...) ...
 *         gjk_set_release(set);
 *     }
 */
gjk_status gjk_set_new_indexed(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                               struct gjk_set **out) GJK_MUST_USE;

/* Returns a set without bodies. The callbacks retain bodies that edits insert, and must outlive
 * every set that descends from this one. NULL: out of memory. */
struct gjk_set *gjk_set_new_empty(uint32_t dimension, const gjk_body_callbacks *callbacks);

/*
 * The set that `set` becomes by the edits, all or nothing; one reference, the caller's, while
 * `set` stays what it was. Preconditions: edits stand in the order of ids, each id once;
 * handles are unique. Removing what is not there changes nothing. Retains the bodies that
 * it inserts. O(edits * log n) in time and in memory not shared. OUT_OF_MEMORY.
 */
gjk_status gjk_set_edit(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                        struct gjk_set **out) GJK_MUST_USE;

/* The same; GIVEN_UP where the budget (NULL: endless) is spent. */
gjk_status gjk_set_edit_within(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                               gjk_budget *budget, struct gjk_set **out) GJK_MUST_USE;

/* Count references, on any thread. retain returns its argument; the last release frees the set and
 * its references to bodies. */
struct gjk_set *gjk_set_retain(const struct gjk_set *set);
void gjk_set_release(const struct gjk_set *set); /* NULL is allowed */

uint32_t gjk_set_dimension(const struct gjk_set *set);
uint32_t gjk_set_count(const struct gjk_set *set);

/*
 * The bodies in the order of ids, which are reached in no other way. Each pays for itself and for a
 * short query of it. Borrows the set and the budget (NULL: endless). O(log n) for 64 of them.
 *
 *     gjk_set_iterator bodies = gjk_set_iterate(set, budget);
 *     for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) ...
 */
#define GJK_SET_BATCH 64
typedef struct gjk_set_iterator {
    const struct gjk_set *set;
    gjk_budget *budget;
    uint32_t next; /* of the order of ids */
    const gjk_body *batch[GJK_SET_BATCH];
} gjk_set_iterator;

gjk_set_iterator gjk_set_iterate(const struct gjk_set *set, gjk_budget *budget);

/* The next body, a view that lives as long as the set. NULL: there are no more, or the budget is
 * spent. */
const gjk_body *gjk_set_next(gjk_set_iterator *bodies);

/* The body with that id or handle, or NULL. O(log n). */
const gjk_body *gjk_set_find(const struct gjk_set *set, const char *id);
const gjk_body *gjk_set_find_handle(const struct gjk_set *set, uint32_t handle);

/* Writes the body of each handle, or NULL. Handles in ascending order are found in about one step
 * each where the set has all of them. */
void gjk_set_find_handles(const struct gjk_set *set, const uint32_t *handles, uint32_t count,
                          const gjk_body **out);

/* Returns true if any body is of that group. O(log n). */
bool gjk_set_has_group(const struct gjk_set *set, const char *group);

/* Calls visit for each handle, in order, whose body is not one and the same in both sets; NULL
 * stands for none. O(differences * log n) where one set was made from the other by edits. */
typedef void (*gjk_set_visitor)(void *user, const gjk_body *from, const gjk_body *to);
void gjk_set_diff(const struct gjk_set *from, const struct gjk_set *to, gjk_set_visitor visit,
                  void *user);

/* An estimate of how many boxes of bodies and tree nodes a query of the set tests: few where bodies
 * stand apart, all where they overlap. O(1). */
double gjk_set_crowding(const struct gjk_set *set);

/* The memory of the set without its bodies: as if it shared none of it with others, and what it
 * does not share with the set that it was made from. O(1). */
size_t gjk_set_bytes(const struct gjk_set *set);
size_t gjk_set_added_bytes(const struct gjk_set *set);

GJK_END

#endif
