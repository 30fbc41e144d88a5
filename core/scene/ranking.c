/*
 * Ranked search, branch and bound: the bodies that the walk finds are measured, and the first
 * `limit` of the total order are kept in a heap with the last of them in front. Once the heap is
 * full (and it is known, or need not be known, that more exist), bodies that lie farther than
 * that last answer cannot change the result, so the walk skips them.
 */

#include "scene/scene.h"

#include <stdalign.h>

/* Returns true if answers behind the last one kept no longer matter. */
static bool is_complete(const gjk_list *found, const gjk_selection *selection) {
    return found->count == selection->limit && (found->truncated || selection->rest_unasked);
}

gjk_status gjk_ranking_find(const gjk_ranking *ranking, const gjk_snapshot *snapshot,
                            const gjk_selection *selection, gjk_list *found) {
    alignas(max_align_t) char item[GJK_LIST_ITEM_BYTES_MAX];
    gjk_set_walk walk;
    gjk_leaf leaf;
    gjk_placed room;
    *found = gjk_list_make(selection->arena, ranking->item_size);
    gjk_set_walk_init(&walk, snapshot, selection);
    gjk_set_walk_aim(&walk, ranking->query, ranking->distance);
    while (gjk_set_walk_next(&walk, &leaf)) {
        const gjk_placed *placed = gjk_leaf_place(snapshot, &leaf, &room);
        bool counts = false;
        gjk_status status = ranking->measure(ranking->question, leaf.body, placed, item, &counts);
        if (status != GJK_OK) {
            return status;
        }
        if (!counts) {
            continue;
        }
        if (!gjk_list_offer(found, selection->limit, ranking->order, item)) {
            return GJK_OUT_OF_MEMORY;
        }
        if (ranking->rank != NULL && is_complete(found, selection)) {
            gjk_tree_walk_narrow(&walk.tree, ranking->rank(found->items));
        }
    }
    found->truncated = found->truncated && !selection->rest_unasked;
    return gjk_budget_is_spent(walk.tree.budget) ? GJK_GIVEN_UP
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
