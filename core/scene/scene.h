#ifndef GJK_SCENE_SCENE_H
#define GJK_SCENE_SCENE_H

/* Shared by the queries of sets: the walk over the selected bodies of a snapshot, and the ranked
 * search, which keeps the first answers of a total order. */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/walk.h"

#include <string.h>

/* The tree over the bodies of a set as they stand; NULL where it has none. View. */
const struct gjk_tree *gjk_set_tree(const struct gjk_set *set);

/* A set of the same bodies without its tree. One reference, the caller's. NULL: out of memory. */
struct gjk_set *gjk_set_without_tree(const struct gjk_set *set);

/* The body in `next` that tells where a body of the snapshot moves to; NULL: it rests. Of a packed
 * tick the body itself: gjk_snapshot_pose tells where it stands. */
const gjk_body *gjk_snapshot_next(const gjk_snapshot *snapshot, const gjk_body *body);

/* Interpolates the pose of a body at alpha in [0, 1) between `from` and `next`, which did not
 * teleport: see gjk_snapshot_pose. */
gjk_pose gjk_pose_between(const gjk_body *from, const gjk_body *next, double alpha);

/* Returns where a leaf of the snapshot stands: the body's own place, or one written to `room`. */
const gjk_placed *gjk_leaf_place(const gjk_snapshot *snapshot, const gjk_leaf *leaf,
                                 gjk_placed *room);

/* An upper bound of the distance from a point to any point of the snapshot. It depends on the
 * bodies alone, not on the tree. O(n). Means nothing where the budget is spent. */
double gjk_snapshot_extent(const gjk_snapshot *snapshot, gjk_vec3 point, gjk_budget *budget);

static inline bool gjk_selection_has(const gjk_selection *selection, const gjk_body *body) {
    return body != selection->except && gjk_filter_passes(selection->filter, body);
}

/* Returns true if answers behind the last one kept no longer matter. */
static inline bool gjk_selection_is_full(const gjk_selection *selection, const gjk_list *found) {
    return found->count == selection->limit && (found->truncated || selection->rest_unasked);
}

/* Returns true if each of two bodies is of a category that the other's mask takes. */
static inline bool gjk_bodies_accept_each_other(const gjk_body *a, const gjk_body *b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* The steps that a query on one body counts for: some look at all points of its shape in each of
 * their iterations. */
static inline uint32_t gjk_query_steps(const gjk_shape *shape) {
    return 16 + shape->count / 32;
}

/* Finds the selected bodies that may matter to a query: by the snapshot's tree, in unspecified
 * order, or, without a tree, all of them in the order of ids. */
typedef struct gjk_set_walk {
    const gjk_snapshot *snapshot;
    const gjk_selection *selection;
    gjk_set_iterator all; /* without a tree */
    gjk_tree_walk tree;
} gjk_set_walk;

/* Begin and aim a walk, as gjk_tree_walk_init and gjk_tree_walk_aim do. Snapshot and selection are
 * borrowed. */
void gjk_set_walk_init(gjk_set_walk *walk, const gjk_snapshot *snapshot,
                       const gjk_selection *selection);
void gjk_set_walk_aim(gjk_set_walk *walk, const gjk_query_bounds *query, double distance);

/* Finds the next selected body. False: there are no more, or the budget is spent. */
bool gjk_set_walk_next(gjk_set_walk *walk, gjk_leaf *leaf);

/* Measures a placed body for a question. Where it counts as an answer, writes the answer, whose
 * first member is the body, to `item`. */
typedef gjk_status (*gjk_measure)(const void *question, const gjk_body *body,
                                  const gjk_placed *placed, void *item, bool *counts);

/* Bounds of the number by which a body is ranked, found sooner than the number. Returns false if
 * there are none. */
typedef bool (*gjk_estimate)(const void *question, const gjk_placed *placed, double *least,
                             double *most);

/* Compares pairs of any kind, which begin with their two bodies, by the ids of these. */
static inline int gjk_pairs_by_ids(const void *a, const void *b) {
    const gjk_body *const *p = a, *const *q = b;
    const int first = strcmp(p[0]->id, q[0]->id);
    return first != 0 ? first : strcmp(p[1]->id, q[1]->id);
}

/* Compares two gjk_pair_near: by signed distance, then by ids. */
int gjk_pairs_by_signed_distance(const void *a, const void *b);

/* A query whose answers are ordered by a number, then by the id of the body. */
typedef struct gjk_ranking {
    const gjk_query_bounds *query;
    double distance; /* what lies farther does not count: see gjk_tree_walk_aim */
    const void *question;
    gjk_measure measure;
    gjk_sort_order order; /* of items: see gjk_ranking_compare */
    /* The number of an item where bodies that lie farther than it, as gjk_tree_walk_narrow takes
     * it, come later in the order; else NULL. */
    double (*rank)(const void *item);
    gjk_estimate estimate; /* NULL: none; else of rank */
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

/* Finds the first answers of the order, as many as the selection's limit says, sorted, with
 * `truncated` as the selection defines it. OUT_OF_MEMORY, GIVEN_UP. */
gjk_status gjk_ranking_find(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                            const gjk_selection *selection, gjk_list *found) GJK_MUST_USE;

/* Returns true if any selected body counts; false, too, if the budget or memory is exhausted. */
bool gjk_ranking_any(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                     const gjk_selection *selection);

/* A row of configurations keeps the boxes of its first so many moved bodies; that of any other is
 * computed whenever it is needed. */
#define GJK_ROW_BOXES 128

#endif
