/*
 * What collides with a shape, within a set, between two sets? Bodies whose boxes meet the
 * shape's are taken from the tree and asked in the order of their ids, so answers come out in
 * the promised order and the asking ends with the first one too many.
 *
 * Pairs: as the trees name them, in no order, sorted in the end. Where that comes to more than
 * the limit, or to very many, it is given up for the order of ids: the same as for one shape
 * for each body in turn (in one set only with those behind it) until the limit is reached.
 */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/pairs.h"
#include "tree/walk.h"

#include <string.h>

/* A body to be asked. */
typedef gjk_leaf gjk_candidate;

/* Backwards: the last of the heap is the first id. */
static int by_id_backwards(const void *a, const void *b) {
    const gjk_candidate *p = a, *q = b;
    return strcmp(q->body->id, p->body->id);
}

static bool add_candidate(gjk_list *candidates, const gjk_body *body, const gjk_body *next) {
    gjk_candidate *candidate = gjk_list_push(candidates);
    if (candidate != NULL) {
        *candidate = (gjk_candidate){body, next};
    }
    return candidate != NULL;
}

/* The candidate with the first id; its `next` becomes the walk's. */
static const gjk_body *take_first(gjk_list *candidates, gjk_walk *walk) {
    gjk_candidate candidate;
    gjk_list_take_last(candidates, by_id_backwards, &candidate);
    walk->next = candidate.next;
    return candidate.body;
}

gjk_status gjk_set_detect(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) {
    gjk_list hits = gjk_list_make(selection->arena, sizeof(gjk_hit));
    gjk_list candidates = gjk_list_make(selection->arena, sizeof(gjk_candidate));
    const gjk_query_bounds probe = gjk_query_bounds_of(GJK_QUERY_OVERLAP, a, settings->tolerance);
    const gjk_body *body;
    gjk_walk walk;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, 0.0);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        if (!add_candidate(&candidates, body, walk.next)) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    gjk_list_heap(&candidates, by_id_backwards);
    while (candidates.count > 0 && !hits.truncated && !gjk_walk_gives_up(&walk)) {
        body = take_first(&candidates, &walk);
        const gjk_placed placed = gjk_walk_place(&walk, body);
        gjk_detect_result result = gjk_detect(a, &placed, settings);
        if (result.state == GJK_SEPARATED) {
            continue;
        }
        if (hits.count == selection->limit) {
            hits.truncated = true;
            continue;
        }
        gjk_hit *hit = gjk_list_push(&hits);
        if (hit == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *hit = (gjk_hit){body, result};
    }
    *out = (gjk_hits){(gjk_hit *)(void *)hits.items, hits.count, hits.truncated};
    return walk.given_up ? GJK_GIVEN_UP : GJK_OK;
}

static bool accept_each_other(const gjk_body *a, const gjk_body *b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static bool same_group(const gjk_body *a, const gjk_body *b) {
    return a->group != NULL && b->group != NULL && strcmp(a->group, b->group) == 0;
}

/* Pairs that trees may name, for each body and besides, before the order of ids is taken. */
#define PAIRS_PER_BODY 4
#define PAIRS_BESIDES 4096

typedef struct gjk_pair_scan {
    gjk_walk firsts, seconds; /* of those that stand first, or second, in a pair */
    bool within;              /* pairs of one set: b behind a only, groups differ */
    const gjk_detect_settings *settings;
    gjk_list candidates; /* for b */
    gjk_list pairs;
    /* While trees name pairs: */
    uint64_t left; /* so many more */
    bool too_many;
    gjk_status status;
} gjk_pair_scan;

/* Do they count as a pair, in either order? */
static bool is_pair(const gjk_pair_scan *scan, const gjk_body *a, const gjk_body *b) {
    return accept_each_other(a, b) && !(scan->within && same_group(a, b));
}

/* Asks the pairs of a, which stands as placed, with the candidates. */
static gjk_status ask_pairs(gjk_pair_scan *scan, const gjk_body *a, const gjk_placed *placed) {
    const uint32_t limit = scan->seconds.selection->limit;
    gjk_list_heap(&scan->candidates, by_id_backwards);
    while (scan->candidates.count > 0 && !gjk_walk_gives_up(&scan->seconds)) {
        const gjk_body *b = take_first(&scan->candidates, &scan->seconds);
        const gjk_placed placed_b = gjk_walk_place(&scan->seconds, b);
        gjk_detect_result result = gjk_detect(placed, &placed_b, scan->settings);
        if (result.state == GJK_SEPARATED) {
            continue;
        }
        if (scan->pairs.count == limit) {
            scan->pairs.truncated = true;
            return GJK_OK;
        }
        gjk_pair_hit *pair = gjk_list_push(&scan->pairs);
        if (pair == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        *pair = (gjk_pair_hit){a, b, result};
    }
    return GJK_OK;
}

/* All pairs that begin with a. */
static gjk_status scan_row(gjk_pair_scan *scan, const gjk_body *a) {
    const gjk_placed placed = gjk_walk_place(&scan->firsts, a);
    const gjk_query_bounds probe =
        gjk_query_bounds_of(GJK_QUERY_OVERLAP, &placed, scan->settings->tolerance);
    const gjk_body *b;
    scan->candidates.count = 0;
    gjk_walk_aim(&scan->seconds, &probe, 0.0);
    while ((b = gjk_walk_next(&scan->seconds)) != NULL) {
        bool comes_first = !scan->within || strcmp(a->id, b->id) < 0;
        if (comes_first && is_pair(scan, a, b) &&
            !add_candidate(&scan->candidates, b, scan->seconds.next)) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    return ask_pairs(scan, a, &placed);
}

static int by_ids(const void *a, const void *b) {
    const gjk_pair_hit *p = a, *q = b;
    int first = strcmp(p->a->id, q->a->id);
    return first != 0 ? first : strcmp(p->b->id, q->b->id);
}

static bool is_selected(const gjk_selection *selection, const gjk_body *body) {
    return body != selection->except && gjk_filter_passes(selection->filter, body);
}

/* Asks a pair that trees named. False: enough. */
static bool ask_named(void *user, const gjk_leaf *a, const gjk_leaf *b) {
    gjk_pair_scan *scan = user;
    const gjk_selection *selection = scan->seconds.selection;
    if (scan->left-- == 0 || gjk_walk_gives_up(&scan->seconds)) {
        scan->too_many = !scan->seconds.given_up;
        return false;
    }
    if (!is_pair(scan, a->body, b->body) || !is_selected(selection, a->body) ||
        !is_selected(selection, b->body)) {
        return true;
    }
    const bool turned = scan->within && strcmp(a->body->id, b->body->id) > 0;
    const gjk_leaf *p = turned ? b : a, *q = turned ? a : b;
    gjk_placed moved_p, moved_q;
    const gjk_placed *placed_p = gjk_leaf_place(scan->firsts.snapshot, p, &moved_p);
    const gjk_placed *placed_q = gjk_leaf_place(scan->seconds.snapshot, q, &moved_q);
    gjk_detect_result result = gjk_detect(placed_p, placed_q, scan->settings);
    if (result.state == GJK_SEPARATED) {
        return true;
    }
    scan->too_many = scan->pairs.count == selection->limit;
    if (scan->too_many) {
        return false;
    }
    gjk_pair_hit *pair = gjk_list_push(&scan->pairs);
    if (pair == NULL) {
        scan->status = GJK_OUT_OF_MEMORY;
        return false;
    }
    *pair = (gjk_pair_hit){p->body, q->body, result};
    return true;
}

/* All pairs as the trees name them. False: without trees, or too many. */
static bool ask_trees(gjk_pair_scan *scan) {
    const gjk_snapshot *a = scan->firsts.snapshot, *b = scan->seconds.snapshot;
    const double looseness = gjk_box_looseness(scan->settings->tolerance);
    uint64_t bodies = (uint64_t)gjk_set_count(a->set) + gjk_set_count(b->set);
    if (a->tree == NULL || b->tree == NULL || scan->seconds.selection->limit < bodies / 16) {
        return false;
    }
    scan->left = PAIRS_PER_BODY * bodies + PAIRS_BESIDES;
    scan->too_many = false;
    if (scan->within) {
        gjk_tree_pairs_within(b->tree, looseness, ask_named, scan);
    } else {
        gjk_tree_pairs_between(a->tree, b->tree, looseness, ask_named, scan);
    }
    if (scan->too_many) {
        scan->pairs.count = 0;
        return false;
    }
    gjk_list_sort(&scan->pairs, by_ids);
    return true;
}

static void scan_init(gjk_pair_scan *scan, const gjk_snapshot *snapshot, const gjk_snapshot *other,
                      const gjk_selection *selection, const gjk_detect_settings *settings) {
    gjk_walk_init(&scan->firsts, snapshot, selection);
    gjk_walk_init(&scan->seconds, other, selection);
    scan->settings = settings;
    scan->status = GJK_OK;
    scan->candidates = gjk_list_make(selection->arena, sizeof(gjk_candidate));
    scan->pairs = gjk_list_make(selection->arena, sizeof(gjk_pair_hit));
}

static gjk_status scan_end(const gjk_pair_scan *scan, gjk_pair_hits *out) {
    gjk_status status = scan->status;
    if (status == GJK_OK && (scan->firsts.given_up || scan->seconds.given_up)) {
        status = GJK_GIVEN_UP;
    }
    *out = (gjk_pair_hits){(gjk_pair_hit *)(void *)scan->pairs.items, scan->pairs.count,
                           scan->pairs.truncated};
    return status;
}

gjk_status gjk_set_detect_pairs(const gjk_snapshot *snapshot, const gjk_selection *selection,
                                const gjk_detect_settings *settings, gjk_pair_hits *out) {
    gjk_pair_scan scan;
    gjk_snapshot in_order = *snapshot; /* of ids, as walks without a tree are */
    const gjk_query_bounds everybody = {.kind = GJK_QUERY_OVERLAP};
    const gjk_body *a;
    scan_init(&scan, snapshot, snapshot, selection, settings);
    scan.within = true;
    if (ask_trees(&scan)) {
        return scan_end(&scan, out);
    }
    in_order.tree = NULL;
    gjk_walk_init(&scan.firsts, &in_order, selection);
    gjk_walk_aim(&scan.firsts, &everybody, 0.0);
    while (scan.status == GJK_OK && !scan.pairs.truncated && !scan.seconds.given_up &&
           (a = gjk_walk_next(&scan.firsts)) != NULL) {
        scan.status = scan_row(&scan, a);
    }
    return scan_end(&scan, out);
}

/* Those of the first set that may meet anybody of the second. */
static bool list_firsts(gjk_pair_scan *scan, const gjk_snapshot *other, gjk_list *firsts) {
    gjk_query_bounds probe = {.kind = GJK_QUERY_OVERLAP};
    const gjk_body *a;
    if (gjk_set_count(other->set) == 0) {
        return true;
    }
    probe = gjk_query_bounds_of_moment(other, scan->settings->tolerance);
    gjk_walk_aim(&scan->firsts, &probe, 0.0);
    while ((a = gjk_walk_next(&scan->firsts)) != NULL) {
        if (!add_candidate(firsts, a, scan->firsts.next)) {
            return false;
        }
    }
    gjk_list_heap(firsts, by_id_backwards);
    return true;
}

gjk_status gjk_set_detect_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                  const gjk_selection *selection,
                                  const gjk_detect_settings *settings, gjk_pair_hits *out) {
    gjk_pair_scan scan;
    gjk_selection all = *selection;
    all.except = NULL;
    scan_init(&scan, snapshot, other, &all, settings);
    scan.within = false;
    if (ask_trees(&scan)) {
        return scan_end(&scan, out);
    }
    gjk_list firsts = gjk_list_make(selection->arena, sizeof(gjk_candidate));
    scan.status = list_firsts(&scan, other, &firsts) ? GJK_OK : GJK_OUT_OF_MEMORY;
    while (scan.status == GJK_OK && firsts.count > 0 && !scan.pairs.truncated &&
           !gjk_walk_gives_up(&scan.firsts) && !scan.seconds.given_up) {
        const gjk_body *a = take_first(&firsts, &scan.firsts);
        scan.status = scan_row(&scan, a);
    }
    return scan_end(&scan, out);
}
