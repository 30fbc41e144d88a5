/*
 * Shared by the queries of sets: the walk over bodies, ranked search, extent and filters.
 *
 * The walk visits the bodies found by the snapshot's tree, or all bodies of the set in batches if
 * there is no tree.
 */

#include "scene/scene.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

void gjk_set_walk_init(gjk_set_walk *walk, const gjk_snapshot *snapshot,
                       const gjk_selection *selection) {
    walk->snapshot = snapshot;
    walk->selection = selection;
    walk->all.set = snapshot->set; /* the batch stays unset */
    walk->all.budget = selection->budget;
    gjk_tree_walk_init(&walk->tree, selection->budget);
}

void gjk_set_walk_aim(gjk_set_walk *walk, const gjk_query_bounds *query, double distance) {
    walk->all.next = 0;
    gjk_tree_walk_aim(&walk->tree, walk->snapshot->tree, query, distance);
}

bool gjk_set_walk_next(gjk_set_walk *walk, gjk_leaf *leaf) {
    if (walk->snapshot->tree == NULL) {
        for (const gjk_body *body; (body = gjk_set_next(&walk->all)) != NULL;) {
            if (gjk_selection_has(walk->selection, body)) {
                *leaf = (gjk_leaf){body, gjk_snapshot_next(walk->snapshot, body)};
                return true;
            }
        }
        return false;
    }
    while (gjk_tree_walk_next(&walk->tree, leaf)) {
        if (gjk_selection_has(walk->selection, leaf->body)) {
            (void)gjk_budget_spend(walk->tree.budget, gjk_query_steps(leaf->body->placed.shape));
            return true;
        }
    }
    return false;
}

const gjk_placed *gjk_leaf_place(const gjk_snapshot *snapshot, const gjk_leaf *leaf,
                                 gjk_placed *room) {
    if (leaf->next == NULL || (snapshot->next == NULL && snapshot->packed == NULL)) {
        return &leaf->body->placed;
    }
    room->shape = leaf->body->placed.shape;
    room->pose = snapshot->packed != NULL
                     ? gjk_snapshot_pose(snapshot, leaf->body)
                     : gjk_pose_between(leaf->body, leaf->next, snapshot->alpha);
    return room;
}

/*
 * Ranked search by branch and bound. The bodies that the walk finds are measured, and the first
 * `limit` in the total order are kept in a list with the last of them in front. When the list is
 * full (and `truncated` is known or not asked for), bodies farther than that last answer cannot
 * change the result, and the walk skips them.
 *
 * Bodies whose rank can be estimated are measured later: the smallest upper bounds narrow the walk,
 * and most bodies are then excluded without being measured.
 */

#define DEFERRED_MAX 64        /* bodies whose measuring is deferred */
#define ESTIMATED_LIMIT_MAX 64 /* with a larger limit, bodies are measured at once */

typedef struct deferred_body {
    gjk_leaf leaf;
    double least; /* lower bound of the rank */
} deferred_body;

typedef struct ranked_search {
    const gjk_ranking *ranking;
    const gjk_selection *selection;
    gjk_list *found;
    gjk_set_walk walk;
    double reach;                         /* bodies farther than this cannot change the result */
    double most[ESTIMATED_LIMIT_MAX + 1]; /* the smallest upper bounds, ascending */
    uint32_t most_count;
    deferred_body deferred[DEFERRED_MAX];
    uint32_t deferred_count;
} ranked_search;

static void narrow(ranked_search *search, double reach) {
    if (reach < search->reach) {
        search->reach = reach;
        gjk_tree_walk_narrow(&search->walk.tree, reach);
    }
}

static gjk_status measure(ranked_search *search, const gjk_leaf *leaf) {
    alignas(max_align_t) char item[GJK_LIST_ITEM_BYTES_MAX];
    const gjk_ranking *ranking = search->ranking;
    gjk_placed room;
    const gjk_placed *placed = gjk_leaf_place(search->walk.snapshot, leaf, &room);
    bool counts = false;
    gjk_status status = ranking->measure(ranking->question, leaf->body, placed, item, &counts);
    if (status != GJK_OK || !counts) {
        return status;
    }
    if (!gjk_list_offer(search->found, search->selection->limit, ranking->order, item)) {
        return GJK_OUT_OF_MEMORY;
    }
    if (ranking->rank != NULL && gjk_selection_is_full(search->selection, search->found)) {
        narrow(search, ranking->rank(search->found->items));
    }
    return GJK_OK;
}

/* Measures the deferred bodies that may still be among the first. */
static gjk_status measure_deferred(ranked_search *search) {
    gjk_status status = GJK_OK;
    for (uint32_t i = 0; i < search->deferred_count && status == GJK_OK; i++) {
        const deferred_body *body = &search->deferred[i];
        if (body->least <= search->reach) {
            status = measure(search, &body->leaf);
        }
    }
    search->deferred_count = 0;
    return status;
}

/* Inserts an upper bound into the `enough` smallest; when there are `enough`, the largest of them
 * limits the search. */
static void keep_upper_bound(ranked_search *search, double most, uint32_t enough) {
    uint32_t at = search->most_count;
    if (at < enough) {
        search->most_count++;
    } else if (most < search->most[enough - 1]) {
        at = enough - 1;
    } else {
        return;
    }
    for (; at > 0 && search->most[at - 1] > most; at--) {
        search->most[at] = search->most[at - 1];
    }
    search->most[at] = most;
    if (search->most_count == enough) {
        narrow(search, search->most[enough - 1]);
    }
}

/* Defers the measuring of a body, unless its estimate is beyond the reach of the search. A body
 * without an estimate is measured at once. */
static gjk_status defer_measure(ranked_search *search, const gjk_leaf *leaf) {
    const gjk_ranking *ranking = search->ranking;
    const gjk_selection *selection = search->selection;
    gjk_placed room;
    deferred_body body = {.leaf = *leaf};
    double most;
    if (!ranking->estimate(ranking->question, gjk_leaf_place(search->walk.snapshot, leaf, &room),
                           &body.least, &most)) {
        return measure(search, leaf);
    }
    if (body.least > search->reach) {
        return GJK_OK;
    }
    keep_upper_bound(search, most, selection->limit + !selection->rest_unasked);
    gjk_prefetch(leaf->body->placed.shape->columns, GJK_POINT_BYTES); /* until it is measured */
    search->deferred[search->deferred_count++] = body;
    return search->deferred_count == DEFERRED_MAX ? measure_deferred(search) : GJK_OK;
}

gjk_status gjk_ranking_find(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                            const gjk_selection *selection, gjk_list *found) {
    ranked_search search;
    gjk_leaf next;
    gjk_status status = GJK_OK;
    const bool estimates = ranking->estimate != NULL && selection->limit <= ESTIMATED_LIMIT_MAX;
    *found = gjk_list_make(selection->arena, ranking->item_size);
    search.ranking = ranking;
    search.selection = selection;
    search.found = found;
    search.reach = ranking->distance;
    search.most_count = search.deferred_count = 0;
    gjk_set_walk_init(&search.walk, snapshot, selection);
    gjk_set_walk_aim(&search.walk, ranking->query, ranking->distance);
    bool has_next = gjk_set_walk_next(&search.walk, &next);
    while (status == GJK_OK && has_next) {
        const gjk_leaf leaf = next;
        if (estimates) { /* the next shape is fetched while this one is estimated */
            has_next = gjk_set_walk_next(&search.walk, &next);
            if (has_next) {
                gjk_prefetch(next.body->placed.shape, offsetof(gjk_shape, offset));
            }
            status = defer_measure(&search, &leaf);
        } else {
            status = measure(&search, &leaf);
            has_next = gjk_set_walk_next(&search.walk, &next);
        }
    }
    status = status == GJK_OK ? measure_deferred(&search) : status;
    if (status != GJK_OK) {
        return status;
    }
    found->truncated = found->truncated && !selection->rest_unasked;
    return gjk_budget_is_spent(selection->budget) ? GJK_GIVEN_UP
                                                  : gjk_list_sort(found, ranking->order);
}

bool gjk_ranking_any(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                     const gjk_selection *selection) {
    alignas(max_align_t) char item[GJK_LIST_ITEM_BYTES_MAX];
    gjk_set_walk walk;
    gjk_leaf leaf;
    gjk_placed room;
    bool counts = false;
    gjk_status status = GJK_OK;
    gjk_set_walk_init(&walk, snapshot, selection);
    gjk_set_walk_aim(&walk, ranking->query, ranking->distance);
    while (status == GJK_OK && !counts && gjk_set_walk_next(&walk, &leaf)) {
        const gjk_placed *placed = gjk_leaf_place(snapshot, &leaf, &room);
        status = ranking->measure(ranking->question, leaf.body, placed, item, &counts);
    }
    return status == GJK_OK && counts;
}

/* Extent of a snapshot from a point: the far side of the farthest bounding ball. The tree's bounds
 * would give it in O(1), but they depend on the history of edits, and the length of a cast may
 * affect the last digits of an answer. */

#define ROUNDING 0x1p-48

double gjk_snapshot_extent(const gjk_snapshot *snapshot, gjk_vec3 point, gjk_budget *budget) {
    double farthest = 0.0;
    gjk_set_iterator bodies = gjk_set_iterate(snapshot->set, budget);
    for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
        gjk_placed placed = gjk_snapshot_place(snapshot, body);
        gjk_vec3 center = gjk_pose_apply(&placed.pose, placed.shape->center);
        double apart = gjk_length3(gjk_sub3(center, point));
        farthest = fmax(farthest, apart + placed.shape->bounding_radius);
    }
    return farthest * (1.0 + ROUNDING);
}

/* Filters: category bits in both directions, then the lists of ids and groups. */

gjk_filter gjk_filter_default(void) {
    return (gjk_filter){.category = UINT32_MAX, .mask = UINT32_MAX};
}

static int compare_text(const void *text, const void *item) {
    return strcmp(text, *(const char *const *)item);
}

static int compare_handle(const void *handle, const void *item) {
    const uint32_t p = *(const uint32_t *)handle, q = *(const uint32_t *)item;
    return p < q ? -1 : p > q;
}

static bool is_listed(const char *text, const char *const *list, uint32_t count) {
    return text != NULL && count > 0 &&
           bsearch(text, list, count, sizeof *list, compare_text) != NULL;
}

bool gjk_filter_passes(const gjk_filter *filter, const gjk_body *body) {
    return (body->category & filter->mask) != 0 && (filter->category & body->mask) != 0 &&
           !is_listed(body->id, filter->ignore, filter->ignore_count) &&
           (filter->ignore_handles_count == 0 ||
            bsearch(&body->handle, filter->ignore_handles, filter->ignore_handles_count,
                    sizeof body->handle, compare_handle) == NULL) &&
           !(filter->ignore_group != NULL && body->group != NULL &&
             strcmp(body->group, filter->ignore_group) == 0) &&
           !is_listed(body->group, filter->ignore_groups, filter->ignore_groups_count) &&
           (!filter->has_only_groups ||
            is_listed(body->group, filter->only_groups, filter->only_groups_count));
}
