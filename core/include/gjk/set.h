#ifndef GJK_SET_H
#define GJK_SET_H

/*
 * A scene: bodies in the order of their ids (bytewise), immutable. An edit makes a new set that
 * shares unchanged parts with the old one. Reference-counted: any number of threads may read,
 * retain and release a set.
 */

#include "gjk/body.h"
#include "gjk/budget.h"

GJK_BEGIN

struct gjk_set;

/* One edit: inserts a body, replacing any body with the same id, or removes it. */
typedef struct gjk_edit {
    const char *id;
    const gjk_body *body; /* NULL: removes; otherwise body->id equals id */
} gjk_edit;

/*
 * Makes a set of `count` bodies of the given dimension, in any order. Borrows the bodies: the array
 * and what it points to must outlive the set. Neither this set nor sets edited from it have a tree,
 * since building one costs more than one query of all bodies: for more than a few queries use
 * gjk_set_new_indexed. Only a set of no bodies gets a tree, at its first edit. The caller owns one
 * reference. O(n log n). DUPLICATE_ID, OUT_OF_MEMORY.
 */
gjk_status gjk_set_new(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                       struct gjk_set **out) GJK_MUST_USE;

/*
 * Makes a set as gjk_set_new does, with the tree that makes queries fast. Handles must be unique.
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

/* Returns a set without bodies, or NULL if memory is exhausted. The callbacks retain the bodies
 * that edits insert; they must outlive every set descended from this one. */
struct gjk_set *gjk_set_new_empty(uint32_t dimension, const gjk_body_callbacks *callbacks);

/*
 * Makes a new set by applying all edits or none; `set` does not change. The caller owns one
 * reference to *out. Preconditions: edits are in the order of ids, each id once; handles are
 * unique. Removing a body that does not exist changes nothing. Retains the inserted bodies. O(edits
 * * log n) time and unshared memory. OUT_OF_MEMORY.
 */
gjk_status gjk_set_edit(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                        struct gjk_set **out) GJK_MUST_USE;

/* Edits a set as gjk_set_edit does; GIVEN_UP if the budget (NULL: no limit) is spent. */
gjk_status gjk_set_edit_within(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                               gjk_budget *budget, struct gjk_set **out) GJK_MUST_USE;

/* Count references, on any thread. retain returns its argument; the last release frees the set and
 * releases its bodies. */
struct gjk_set *gjk_set_retain(const struct gjk_set *set);
void gjk_set_release(const struct gjk_set *set); /* NULL is allowed */

uint32_t gjk_set_dimension(const struct gjk_set *set);
uint32_t gjk_set_count(const struct gjk_set *set);

/*
 * Iterator over the bodies in the order of ids, the only access to all of them. Each body spends
 * the budget for itself and a short query of it. Borrows the set and the budget (NULL: no limit).
 * O(log n) for 64 bodies.
 *
 *     gjk_set_iterator bodies = gjk_set_iterate(set, budget);
 *     for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) ...
 */
#define GJK_SET_BATCH 64
typedef struct gjk_set_iterator {
    const struct gjk_set *set;
    gjk_budget *budget;
    uint32_t next; /* rank in the order of ids */
    const gjk_body *batch[GJK_SET_BATCH];
} gjk_set_iterator;

gjk_set_iterator gjk_set_iterate(const struct gjk_set *set, gjk_budget *budget);

/* Returns the next body, a view that lives as long as the set, or NULL if there are no more or the
 * budget is spent. */
const gjk_body *gjk_set_next(gjk_set_iterator *bodies);

/* Return the body with that id or handle, or NULL. O(log n). */
const gjk_body *gjk_set_find(const struct gjk_set *set, const char *id);
const gjk_body *gjk_set_find_handle(const struct gjk_set *set, uint32_t handle);

/* Writes the body of each handle, or NULL. Ascending handles take about one step each if the set
 * has all of them. */
void gjk_set_find_handles(const struct gjk_set *set, const uint32_t *handles, uint32_t count,
                          const gjk_body **out);

/* Returns true if any body has that group. O(log n). */
bool gjk_set_has_group(const struct gjk_set *set, const char *group);

/* Calls visit for each handle, in order, whose body is not the same object in both sets; NULL if a
 * set has no such body. O(differences * log n) if one set was made from the other by edits. */
typedef void (*gjk_set_visitor)(void *user, const gjk_body *from, const gjk_body *to);
void gjk_set_diff(const struct gjk_set *from, const struct gjk_set *to, gjk_set_visitor visit,
                  void *user);

/* Returns an estimate of how many boxes of bodies and tree nodes a query of the set tests: few
 * where bodies are apart, all where they overlap. O(1). */
double gjk_set_crowding(const struct gjk_set *set);

/* Return the memory of the set without its bodies, in bytes: all of it, and the part not shared
 * with the set that it was made from. O(1). */
size_t gjk_set_bytes(const struct gjk_set *set);
size_t gjk_set_added_bytes(const struct gjk_set *set);

GJK_END

#endif
