#ifndef GJK_TREE_WALK_H
#define GJK_TREE_WALK_H

/*
 * Which selected bodies may a question be about? Walks a moment's tree, nearest first, and
 * leaves out what the question's box cannot meet; without a tree it names everybody. What it
 * names besides, and in which order, is not determined: it must not show in an answer.
 */

#include "base/list.h"
#include "gjk/set_query.h"
#include "ray/query_bounds.h"
#include "tree/pairs.h"

/* Everything that overlaps any body of a moment must meet this. */
gjk_query_bounds gjk_query_bounds_of_moment(const gjk_snapshot *snapshot, double tolerance);

/* A branch that waits for its turn. */
typedef struct gjk_walk_entry {
    double key;
    const void *what;
    gjk_branch_kind kind;
} gjk_walk_entry;

#define GJK_WALK_STACK (GJK_TREE_HEIGHT_MAX * (GJK_TREE_WIDTH - 1) + 1)

/* Bodies listed at once where there is no tree. */
#define GJK_WALK_BATCH 64

typedef struct gjk_walk {
    const gjk_snapshot *snapshot;
    const gjk_selection *selection;
    gjk_query_bounds probe;
    double bound;         /* keys above it do not matter any more */
    const gjk_body *next; /* where the body named last goes, if the tree knows */
    uint32_t index;       /* without a tree: of the next body, in the order of ids */
    uint32_t steps;
    bool given_up; /* patience has ended */
    uint32_t top;
    const gjk_body *batch[GJK_WALK_BATCH];
    gjk_walk_entry stack[GJK_WALK_STACK];
} gjk_walk;

/* Once for a moment, then aim for each question. Both must outlive the walk. */
void gjk_walk_init(gjk_walk *walk, const gjk_snapshot *snapshot, const gjk_selection *selection);
void gjk_walk_aim(gjk_walk *walk, const gjk_query_bounds *probe, double bound);

/* A walk to the nearest has no interest in what lies farther, from now on. */
void gjk_walk_stay_within(gjk_walk *walk, double distance);

/* Counts a step; true when patience has ended. */
bool gjk_walk_gives_up(gjk_walk *walk);

/* The next selected body, or NULL when there are no more or patience has ended. */
const gjk_body *gjk_walk_next(gjk_walk *walk);

/* Has the list of those found all that is asked for? Then only who comes before its last still
 * matters. */
static inline bool gjk_walk_knows_enough(const gjk_walk *walk, const gjk_list *found) {
    const gjk_selection *selection = walk->selection;
    return found->count == selection->limit && (found->truncated || selection->rest_unasked);
}

/* Where the body named last stands at the moment. */
gjk_placed gjk_walk_place(const gjk_walk *walk, const gjk_body *body);

/* Where a leaf of the moment's tree stands then: the body's own place, or one put into `room`. */
const gjk_placed *gjk_leaf_place(const gjk_snapshot *snapshot, const gjk_leaf *leaf,
                                 gjk_placed *room);

#endif
