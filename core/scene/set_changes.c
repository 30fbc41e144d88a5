/*
 * Pairs that begin or end to collide between two states of a set. A pair of unchanged bodies cannot
 * begin or end, so only pairs with a changed body are tested, in both states. If more than half of
 * the bodies have changed, all pairs are tested at once. The differences of the two sorted lists
 * are the answer.
 */

#include "scene/scene.h"

/* One of the two states. */
typedef struct state {
    gjk_snapshot snapshot;
    gjk_list changed; /* const gjk_body *: bodies that differ in the other state */
    gjk_list pairs;   /* gjk_overlap_pair */
} state;

typedef struct comparison {
    state before, after;
    gjk_selection selection;
    gjk_status status;
} comparison;

static void visit_change(void *user, const gjk_body *from, const gjk_body *to) {
    comparison *of = user;
    (void)gjk_budget_spend(of->selection.budget, 1);
    if ((from != NULL && !gjk_list_add(&of->before.changed, &from)) ||
        (to != NULL && !gjk_list_add(&of->after.changed, &to))) {
        of->status = GJK_OUT_OF_MEMORY;
    }
}

static gjk_status add_pairs(gjk_list *pairs, const gjk_pair_hits *hits) {
    for (uint32_t i = 0; i < hits->count; i++) {
        const gjk_overlap_pair pair = {hits->items[i].a, hits->items[i].b};
        if (!gjk_list_add(pairs, &pair)) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    return GJK_OK;
}

/* Drops duplicates from a sorted list: pairs whose bodies have both changed occur twice. */
static void keep_once(gjk_list *pairs) {
    gjk_overlap_pair *items = (gjk_overlap_pair *)(void *)pairs->items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (kept == 0 || gjk_pairs_by_ids(&items[i], &items[kept - 1]) != 0) {
            items[kept++] = items[i];
        }
    }
    pairs->count = kept;
}

/* Finds all pairs of a state, or only those of its changed bodies. */
static gjk_status find_pairs(state *in, const gjk_selection *selection, bool all) {
    const gjk_body *const *changed = (const gjk_body *const *)(void *)in->changed.items;
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_pair_hits hits;
    settings.penetration = false;
    if (all) {
        const gjk_status status = gjk_set_detect_pairs(&in->snapshot, selection, &settings, &hits);
        return status == GJK_OK ? add_pairs(&in->pairs, &hits) : status;
    }
    for (uint32_t i = 0; i < in->changed.count; i++) {
        gjk_status status =
            gjk_set_detect_pairs_of(&in->snapshot, changed[i], selection, &settings, &hits);
        status = status == GJK_OK ? add_pairs(&in->pairs, &hits) : status;
        if (status != GJK_OK) {
            return status;
        }
    }
    const gjk_status status = gjk_list_sort(&in->pairs, gjk_pairs_by_ids);
    keep_once(&in->pairs);
    return status;
}

/* Lists the pairs of `from` that are not in `what`. Both are sorted. */
static gjk_status subtract(struct gjk_arena *arena, const gjk_list *from, const gjk_list *what,
                           gjk_overlap_pairs *out) {
    const gjk_overlap_pair *items = (const gjk_overlap_pair *)(const void *)from->items;
    const gjk_overlap_pair *others = (const gjk_overlap_pair *)(const void *)what->items;
    uint32_t j = 0;
    out->count = 0;
    out->items = gjk_arena_alloc_array(arena, from->count, sizeof *out->items);
    if (out->items == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        while (j < what->count && gjk_pairs_by_ids(&others[j], &items[i]) < 0) {
            j++;
        }
        if (j == what->count || gjk_pairs_by_ids(&others[j], &items[i]) != 0) {
            out->items[out->count++] = items[i];
        }
    }
    return GJK_OK;
}

static void init_state(state *in, const struct gjk_set *set, struct gjk_arena *arena) {
    in->snapshot = gjk_snapshot_of(set);
    in->changed = gjk_list_make(arena, sizeof(const gjk_body *));
    in->pairs = gjk_list_make(arena, sizeof(gjk_overlap_pair));
}

static bool is_mostly_changed(const state *in) {
    return in->changed.count > gjk_set_count(in->snapshot.set) / 2;
}

/* Finds the pairs of both states that may differ. */
static gjk_status compare(comparison *of, const struct gjk_set *before,
                          const struct gjk_set *after) {
    struct gjk_arena *arena = of->selection.arena;
    bool all = true;
    init_state(&of->before, before, arena);
    init_state(&of->after, after, arena);
    if (before != NULL) {
        gjk_set_diff(before, after, visit_change, of);
        all = is_mostly_changed(&of->before) || is_mostly_changed(&of->after);
        of->status =
            of->status == GJK_OK ? find_pairs(&of->before, &of->selection, all) : of->status;
    }
    return of->status == GJK_OK ? find_pairs(&of->after, &of->selection, all) : of->status;
}

gjk_status gjk_set_detect_changes(const struct gjk_set *before, const struct gjk_set *after,
                                  const gjk_selection *selection, gjk_overlap_changes *out) {
    comparison of = {.selection = *selection};
    of.selection.except = NULL;
    of.selection.limit = UINT32_MAX;
    gjk_status status = compare(&of, before, after);
    if (status == GJK_OK) {
        status = subtract(selection->arena, &of.after.pairs, &of.before.pairs, &out->begin);
    }
    if (status == GJK_OK) {
        status = subtract(selection->arena, &of.before.pairs, &of.after.pairs, &out->end);
    }
    return status == GJK_OK && gjk_budget_is_spent(selection->budget) ? GJK_GIVEN_UP : status;
}
