#ifndef GJK_SCENE_SCENE_H
#define GJK_SCENE_SCENE_H

/* Shared by the queries of sets: the walk over the selected bodies of a snapshot, and the ranked
 * search, which keeps the first answers in a total order. */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/walk.h"

#include <string.h>

#define GJK_POINT_BYTES 192 /* of a shape, prefetched: eight points in 3D */

/* Returns a view of the tree over the bodies at their poses in the set, or NULL if the set has
 * none. */
const struct gjk_tree *gjk_set_tree(const struct gjk_set *set);

/* Makes a set of the same bodies without its tree. Returns one reference, or NULL if memory is
 * exhausted. */
struct gjk_set *gjk_set_without_tree(const struct gjk_set *set);

/* Returns the body in `next` towards which a body of the snapshot is interpolated, or NULL if it
 * rests. In a packed tick, returns the body itself: gjk_snapshot_pose computes its pose. */
const gjk_body *gjk_snapshot_next(const gjk_snapshot *snapshot, const gjk_body *body);

/* Interpolates the pose of a body at alpha in [0, 1) between `from` and `next`, as
 * gjk_snapshot_pose defines it. Precondition: `next` did not teleport. */
gjk_pose gjk_pose_between(const gjk_body *from, const gjk_body *next, double alpha);

/* Returns a leaf's placed shape in the snapshot: the body's own, or one written to `room`. */
const gjk_placed *gjk_leaf_place(const gjk_snapshot *snapshot, const gjk_leaf *leaf,
                                 gjk_placed *room);

/* Returns an upper bound of the distance from a point to any point of the snapshot. The bound
 * depends on the bodies alone, not on the tree. O(n). The result is unspecified if the budget is
 * spent. */
double gjk_snapshot_extent(const gjk_snapshot *snapshot, gjk_vec3 point, gjk_budget *budget);

static inline bool gjk_selection_has(const gjk_selection *selection, const gjk_body *body) {
    return body != selection->except && gjk_filter_passes(selection->filter, body);
}

/* Returns true if answers after the last kept one cannot change the result. */
static inline bool gjk_selection_is_full(const gjk_selection *selection, const gjk_list *found) {
    return found->count == selection->limit && (found->truncated || selection->rest_unasked);
}

/* Returns true if each body's category is in the other's mask. */
static inline bool gjk_bodies_accept_each_other(const gjk_body *a, const gjk_body *b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* Returns the steps charged for a query on one body: some queries scan all points of its shape in
 * each iteration. */
static inline uint32_t gjk_query_steps(const gjk_shape *shape) {
    return 16 + shape->count / 32;
}

/* A walk over the selected bodies that may matter to a query. With a tree, the order is
 * unspecified; without a tree, it visits all selected bodies in the order of ids. */
typedef struct gjk_set_walk {
    const gjk_snapshot *snapshot;
    const gjk_selection *selection;
    gjk_set_iterator all; /* used if the snapshot has no tree */
    gjk_tree_walk tree;
} gjk_set_walk;

/* Initialise a walk, and begin a query with it, as gjk_tree_walk_init and gjk_tree_walk_aim do. The
 * snapshot and the selection are borrowed. */
void gjk_set_walk_init(gjk_set_walk *walk, const gjk_snapshot *snapshot,
                       const gjk_selection *selection);
void gjk_set_walk_aim(gjk_set_walk *walk, const gjk_query_bounds *query, double distance);

/* Finds the next selected body. Returns false if there are no more, or the budget is spent. */
bool gjk_set_walk_next(gjk_set_walk *walk, gjk_leaf *leaf);

/* Measures a placed body. If the body is an answer, sets *counts and writes the answer, whose first
 * member is the body, to `item`. */
typedef gjk_status (*gjk_measure)(const void *question, const gjk_body *body,
                                  const gjk_placed *placed, void *item, bool *counts);

/* Estimates a lower and an upper bound of a body's rank, faster than gjk_measure computes it.
 * Returns false if there is no estimate. */
typedef bool (*gjk_estimate)(const void *question, const gjk_placed *placed, double *least,
                             double *most);

/* Compares two pairs by ids. A pair is any struct that begins with its two bodies. */
static inline int gjk_pairs_by_ids(const void *a, const void *b) {
    const gjk_body *const *p = a, *const *q = b;
    const int first = strcmp(p[0]->id, q[0]->id);
    return first != 0 ? first : strcmp(p[1]->id, q[1]->id);
}

/* Compares two gjk_pair_near by signed distance, then by ids. */
int gjk_pairs_by_signed_distance(const void *a, const void *b);

/* A query whose answers are ordered by a number, then by the body's id. */
typedef struct gjk_ranking {
    const gjk_query_bounds *query;
    double distance; /* initial limit of the walk: see gjk_tree_walk_aim */
    const void *question;
    gjk_measure measure;
    gjk_sort_order order; /* compares items: see gjk_ranking_compare */
    /* Returns the limit for gjk_tree_walk_narrow beyond which all bodies come after the item in the
     * order. NULL if the order does not follow the walk's distance. */
    double (*rank)(const void *item);
    gjk_estimate estimate; /* bounds of rank(); NULL: none */
    size_t item_size;      /* at most GJK_LIST_ITEM_BYTES_MAX */
} gjk_ranking;

static inline int gjk_ranking_compare(const void *a, const void *b,
                                      double (*rank)(const void *item)) {
    const double p = rank(a), q = rank(b);
    if (p != q) {
        return p < q ? -1 : 1;
    }
    return strcmp((*(const gjk_body *const *)a)->id, (*(const gjk_body *const *)b)->id);
}

/* Finds the first selection->limit answers, sorted; found->truncated is as the selection defines
 * it. Returns OUT_OF_MEMORY, or GIVEN_UP if the budget is spent. */
gjk_status gjk_ranking_find(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                            const gjk_selection *selection, gjk_list *found) GJK_MUST_USE;

/* Returns true if any selected body is an answer. Returns false also if the budget or memory is
 * exhausted. */
bool gjk_ranking_any(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                     const gjk_selection *selection);

/* Number of moved bodies whose boxes a row of configurations caches. Further boxes are computed at
 * each use. */
#define GJK_ROW_BOXES 128

#endif
