/*
 * The nearest pairs between two sets: for each body of the first the search among those of the
 * second, which the worst pair kept so far bounds.
 */

#include "scene/scene.h"

static int by_ids(const gjk_pair_near *p, const gjk_pair_near *q) {
    const int first = strcmp(p->a->id, q->a->id);
    return first != 0 ? first : strcmp(p->b->id, q->b->id);
}

static int by_distance(const void *a, const void *b) {
    const gjk_pair_near *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return by_ids(p, q);
}

static int by_signed_distance(const void *a, const void *b) {
    const gjk_pair_near *p = a, *q = b;
    if (p->result.signed_distance != q->result.signed_distance) {
        return p->result.signed_distance < q->result.signed_distance ? -1 : 1;
    }
    return by_ids(p, q);
}

typedef struct pair_search {
    gjk_set_walk firsts, seconds;
    gjk_list found;
    gjk_sort_order order;
    double reach; /* pairs that are farther apart cannot change the answer */
    gjk_distance_settings settings;
    gjk_status status;
} pair_search;

static void take_pair(pair_search *search, const gjk_pair_near *pair) {
    const gjk_selection *selection = search->seconds.selection;
    if (!gjk_list_offer(&search->found, selection->limit, search->order, pair)) {
        search->status = GJK_OUT_OF_MEMORY;
    } else if (search->found.count == selection->limit &&
               (search->found.truncated || selection->rest_unasked)) {
        const gjk_pair_near *last = (const gjk_pair_near *)(void *)search->found.items;
        search->reach = last->result.distance;
        gjk_tree_walk_narrow(&search->seconds.tree, search->reach);
    }
}

/* All pairs that begin with a. */
static void search_row(pair_search *search, const gjk_leaf *a) {
    gjk_placed room_a, room_b;
    const gjk_placed *placed = gjk_leaf_place(search->firsts.snapshot, a, &room_a);
    const gjk_query_bounds query =
        gjk_query_bounds_of(GJK_QUERY_NEAR, placed, search->settings.tolerance);
    gjk_leaf b;
    gjk_set_walk_aim(&search->seconds, &query, search->reach);
    while (search->status == GJK_OK && gjk_set_walk_next(&search->seconds, &b)) {
        if (!gjk_bodies_accept_each_other(a->body, b.body)) {
            continue;
        }
        const gjk_placed *other = gjk_leaf_place(search->seconds.snapshot, &b, &room_b);
        const gjk_pair_near pair = {a->body, b.body,
                                    gjk_distance(placed, other, &search->settings)};
        if (pair.result.given_up) {
            search->status = GJK_GIVEN_UP;
        } else if (pair.result.distance <= search->reach) {
            take_pair(search, &pair);
        }
    }
}

gjk_status gjk_set_nearest_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                   double max_distance, const gjk_selection *selection,
                                   const gjk_distance_settings *settings, gjk_pair_nears *out) {
    const gjk_query_bounds everything = {.kind = GJK_QUERY_OVERLAP};
    gjk_snapshot in_order = *snapshot; /* without a tree: all of them, in the order of ids */
    gjk_selection all = *selection;
    pair_search search = {
        .found = gjk_list_make(selection->arena, sizeof(gjk_pair_near)),
        .order = settings->is_signed ? by_signed_distance : by_distance,
        .reach = max_distance,
        .settings = *settings,
        .status = GJK_OK,
    };
    gjk_leaf a;
    in_order.tree = NULL;
    all.except = NULL;
    search.settings.budget = selection->budget;
    gjk_set_walk_init(&search.firsts, &in_order, &all);
    gjk_set_walk_init(&search.seconds, other, &all);
    gjk_set_walk_aim(&search.firsts, &everything, 0.0);
    while (search.status == GJK_OK && !gjk_budget_is_spent(search.seconds.tree.budget) &&
           gjk_set_walk_next(&search.firsts, &a)) {
        search_row(&search, &a);
    }
    if (search.status == GJK_OK && (gjk_budget_is_spent(search.firsts.tree.budget) ||
                                    gjk_budget_is_spent(search.seconds.tree.budget))) {
        search.status = GJK_GIVEN_UP;
    }
    if (search.status == GJK_OK) {
        search.status = gjk_list_sort(&search.found, search.order);
    }
    *out = (gjk_pair_nears){(gjk_pair_near *)(void *)search.found.items, search.found.count,
                            search.found.truncated && !selection->rest_unasked};
    return search.status;
}
