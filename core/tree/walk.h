#ifndef GJK_TREE_WALK_H
#define GJK_TREE_WALK_H

/*
 * Searches of trees: a walk that finds the bodies whose boxes meet a query's bounds, by ascending
 * key within each node, and an enumeration of the pairs of bodies whose boxes are near. Both may
 * find more than the exact answer, in unspecified order; answers must not depend on either.
 */

#include "gjk/budget.h"
#include "tree/node.h"
#include "tree/tree.h"

/* Prefetches memory. The item may be NULL or end sooner: addresses are computed as numbers, since
 * pointers must not leave their object. */
static inline void gjk_prefetch(const void *item, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) {
        __builtin_prefetch((const void *)((uintptr_t)item + at));
    }
}

/* Prefetches a branch while others are sorted. */
static inline void gjk_prefetch_branch(const gjk_tree_node *node, uint32_t i) {
    if (node->kind[i] == GJK_BRANCH_NODE) {
        gjk_prefetch(node->branch[i], offsetof(gjk_tree_node, references));
    } else {
        gjk_prefetch(node->branch[i], sizeof(gjk_body));
    }
}

/* A body found in a tree. In a tree made by gjk_tree_span, `next` is the target of its motion (NULL
 * if the body rests). */
typedef struct gjk_leaf {
    const gjk_body *body, *next;
} gjk_leaf;

static inline gjk_leaf gjk_leaf_of(gjk_branch_kind kind, const void *what) {
    const gjk_motion *motion = what;
    return kind == GJK_BRANCH_MOTION ? (gjk_leaf){motion->from, motion->to}
                                     : (gjk_leaf){what, NULL};
}

/* A branch still to be visited. */
typedef struct gjk_tree_walk_entry {
    double key;
    const void *what;
    gjk_branch_kind kind;
} gjk_tree_walk_entry;

#define GJK_TREE_WALK_STACK (GJK_TREE_HEIGHT_MAX * (GJK_TREE_WIDTH - 1) + 1)

typedef struct gjk_tree_walk {
    gjk_budget *budget; /* NULL: unlimited */
    gjk_query_bounds query;
    double bound; /* branches with larger keys are skipped */
    uint32_t top;
    gjk_tree_walk_entry stack[GJK_TREE_WALK_STACK];
} gjk_tree_walk;

/* Initialises a walk that may serve many queries; each query begins with gjk_tree_walk_aim. Before
 * the first, gjk_tree_walk_narrow has no effect. The budget is borrowed. */
void gjk_tree_walk_init(gjk_tree_walk *walk, gjk_budget *budget);

/* Begins a query of a tree (NULL: empty), limited to a distance as in gjk_tree_walk_narrow. */
void gjk_tree_walk_aim(gjk_tree_walk *walk, const struct gjk_tree *tree,
                       const gjk_query_bounds *query, double distance);

/* Limits the walk to bodies within a distance (GJK_QUERY_NEAR), or within a fraction of the sweep's
 * translation (GJK_QUERY_SWEEP). */
void gjk_tree_walk_narrow(gjk_tree_walk *walk, double distance);

/* Finds the next body. Returns false if there are no more, or the budget is spent. */
bool gjk_tree_walk_next(gjk_tree_walk *walk, gjk_leaf *leaf);

/* Pushes the branches of a node that are near enough, least key on top; of equal keys the last
 * branch, as by the insertion sort. All instruction sets push the same. Not in builds for size. */
typedef void gjk_tree_open_near(gjk_tree_walk *walk, const gjk_tree_node *node);
extern gjk_tree_open_near *const gjk_tree_open_near_plain, *const gjk_tree_open_near_avx2,
                                                               *const gjk_tree_open_near_avx512;

/* Callback for each pair. Returns false to end the enumeration. */
typedef bool (*gjk_pair_visitor)(void *user, const gjk_leaf *a, const gjk_leaf *b);

/* Condition for a pair to be visited: its boxes, widened by the looseness (see gjk_box_looseness),
 * are at most `distance` apart. */
typedef struct gjk_pair_reach {
    double looseness, distance;
} gjk_pair_reach;

/* Visit, in unspecified order, the pairs of bodies whose boxes are within reach: all pairs of one
 * tree, each once and with its bodies in either order; or the pairs of a body of a with a body of
 * b. Visited nodes are charged to the budget (NULL: unlimited); the enumeration ends when it is
 * spent. */
void gjk_tree_pairs_within(const struct gjk_tree *tree, gjk_pair_reach reach, gjk_budget *budget,
                           gjk_pair_visitor visit, void *user);
void gjk_tree_pairs_between(const struct gjk_tree *a, const struct gjk_tree *b,
                            gjk_pair_reach reach, gjk_budget *budget, gjk_pair_visitor visit,
                            void *user);

#endif
