/*
 * Collisions of a shape with a set, within a set and between two sets, and pairs of near bodies.
 * The tree finds the bodies whose boxes meet the shape's, or are near it. They are tested in the
 * order of their ids, so that answers come in this order and the search ends with the first one
 * beyond the limit.
 *
 * Pairs of bodies are enumerated by the trees in unspecified order, tested, and sorted at the end.
 * If this yields more answers than the limit, or very many candidates, it is abandoned for a search
 * in the order of ids: for each body in turn (within one set, only among bodies with larger ids),
 * until the limit is reached.
 */

#include "scene/scene.h"

#include "base/numbers.h"
#include "gjk/budget.h"
#include "gjk/pieces.h"
#include "shape/box.h"
#include "shape/convex/hull.h"
#include "shape/convex/support.h"

/* Number of candidate pairs from the trees, per body plus a constant, after which the search in the
 * order of ids takes over. */
#define PAIRS_PER_BODY 4
#define PAIRS_IN_ADDITION 4096

/* Number of first bodies tested in turn before those near the second set are looked for. */
#define ROWS_AT_FIRST 64
#define ROW_STEPS 16 /* charged for a first body, besides its candidates */

/* Number of pairs from the trees that are collected before they are tested: the memory of each is
 * prefetched while others are tested. */
#define PAIRS_AT_ONCE 16

#define MANY_FOUND 256 /* answers from which sorting by keys pays */

/* A search for pairs of bodies of two snapshots, or of bodies near one shape. */
typedef struct pair_scan {
    const gjk_snapshot *first; /* the first body of a pair is from here */
    gjk_set_walk seconds;      /* walk over the second bodies */
    bool within;               /* pairs of one set: a before b by id, in different groups */
    gjk_detect_settings detect;
    const gjk_distance_settings *distance; /* NULL: find collisions, not near pairs */
    double max_distance;
    double tolerance;
    gjk_budget *budget;
    gjk_list candidates;             /* gjk_leaf: second bodies for one first body */
    gjk_list found;                  /* pair hits, pair nears, or hits of one shape */
    uint64_t left;                   /* candidate pairs from the trees still allowed */
    gjk_leaf kept[PAIRS_AT_ONCE][2]; /* pairs from the trees, not tested yet */
    uint32_t kept_count;
    gjk_status status;
} pair_scan;

static void scan_init(pair_scan *scan, const gjk_snapshot *snapshot, const gjk_snapshot *other,
                      const gjk_selection *selection, const gjk_detect_settings *settings,
                      size_t item_size) {
    scan->first = snapshot;
    gjk_set_walk_init(&scan->seconds, other, selection);
    scan->within = false;
    scan->detect = *settings;
    scan->distance = NULL;
    scan->max_distance = 0.0;
    scan->tolerance = settings->tolerance;
    scan->budget = scan->detect.budget = selection->budget;
    scan->left = UINT64_MAX;
    scan->kept_count = 0;
    scan->status = GJK_OK;
    scan->candidates = gjk_list_make(selection->arena, sizeof(gjk_leaf));
    scan->found = gjk_list_make(selection->arena, item_size);
}

/* Returns true if more pairs can still be accepted. */
static bool scan_goes_on(const pair_scan *scan) {
    return scan->status == GJK_OK && !scan->found.truncated && !gjk_budget_is_spent(scan->budget);
}

static gjk_status scan_end(const pair_scan *scan, gjk_pair_hits *out) {
    *out = (gjk_pair_hits){(gjk_pair_hit *)(void *)scan->found.items, scan->found.count,
                           scan->found.truncated};
    return scan->status == GJK_OK && gjk_budget_is_spent(scan->budget) ? GJK_GIVEN_UP
                                                                       : scan->status;
}

/* Returns memory for an answer, or NULL if the search must end. */
static void *push_found(pair_scan *scan) {
    if (scan->found.count == scan->seconds.selection->limit) {
        scan->found.truncated = true;
        return NULL;
    }
    void *item = gjk_list_push(&scan->found);
    scan->status = item == NULL ? GJK_OUT_OF_MEMORY : scan->status;
    return item;
}

static bool end_search(pair_scan *scan) {
    scan->status = GJK_GIVEN_UP;
    return false;
}

static bool test_distance(pair_scan *scan, const gjk_body *a, const gjk_placed *placed,
                          const gjk_body *b, const gjk_placed *other) {
    const gjk_distance_result result = gjk_distance(placed, other, scan->distance);
    if (result.given_up) {
        return end_search(scan);
    }
    if (!(result.distance <= scan->max_distance && result.distance < INFINITY)) {
        return true;
    }
    gjk_pair_near *item = push_found(scan);
    if (item != NULL) {
        *item = (gjk_pair_near){a, b, result};
    }
    return item != NULL;
}

/* Tests a pair; a is NULL for a shape without a body. Returns false if the search must end. */
static bool test_pair(pair_scan *scan, const gjk_body *a, const gjk_placed *placed,
                      const gjk_leaf *b) {
    gjk_placed room;
    const gjk_placed *other = gjk_leaf_place(scan->seconds.snapshot, b, &room);
    if (scan->distance != NULL) {
        return test_distance(scan, a, placed, b->body, other);
    }
    const gjk_detect_result result = gjk_detect(placed, other, &scan->detect);
    if (result.given_up) {
        return end_search(scan);
    }
    if (result.state == GJK_SEPARATED) {
        return true;
    }
    void *item = push_found(scan);
    if (item != NULL && a == NULL) {
        *(gjk_hit *)item = (gjk_hit){b->body, result};
    } else if (item != NULL) {
        *(gjk_pair_hit *)item = (gjk_pair_hit){a, b->body, result};
    }
    return item != NULL;
}

/* Returns true if two bodies may form a pair, in either order. */
static bool is_pair(const pair_scan *scan, const gjk_body *a, const gjk_body *b) {
    const bool same_group = a->group != NULL && b->group != NULL && strcmp(a->group, b->group) == 0;
    return gjk_bodies_accept_each_other(a, b) && !(scan->within && same_group);
}

/* Orders leaves by descending id, so that a heap has the smallest id in front. */
static int by_id_backwards(const void *a, const void *b) {
    const gjk_leaf *p = a, *q = b;
    return strcmp(q->body->id, p->body->id);
}

/* Finds all pairs of body a (NULL: of a shape without a body), in the order of ids. */
static void scan_row(pair_scan *scan, const gjk_body *a, const gjk_placed *placed) {
    const gjk_query_bounds query =
        gjk_query_bounds_of(scan->distance != NULL ? GJK_QUERY_NEAR : GJK_QUERY_OVERLAP, placed,
                            scan->tolerance);
    gjk_leaf b;
    scan->candidates.count = 0;
    gjk_set_walk_aim(&scan->seconds, &query, scan->max_distance);
    while (gjk_set_walk_next(&scan->seconds, &b)) {
        if (a != NULL &&
            ((scan->within && strcmp(a->id, b.body->id) >= 0) || !is_pair(scan, a, b.body))) {
            continue;
        }
        if (!gjk_list_add(&scan->candidates, &b)) {
            scan->status = GJK_OUT_OF_MEMORY;
            return;
        }
    }
    gjk_list_heap(&scan->candidates, by_id_backwards);
    while (scan->candidates.count > 0 && !gjk_budget_is_spent(scan->budget)) {
        gjk_list_take_last(&scan->candidates, by_id_backwards, &b);
        if (gjk_budget_spend(scan->budget, gjk_query_steps(b.body->placed.shape)) ||
            !test_pair(scan, a, placed, &b)) {
            return;
        }
    }
}

gjk_status gjk_set_detect(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) {
    pair_scan scan;
    gjk_pair_hits found;
    scan_init(&scan, snapshot, snapshot, selection, settings, sizeof(gjk_hit));
    scan_row(&scan, NULL, a);
    const gjk_status status = scan_end(&scan, &found);
    *out = (gjk_hits){(gjk_hit *)(void *)scan.found.items, found.count, found.truncated};
    return status;
}

/* Sort key of a pair: bytes that distinguish the ids of first bodies, and the answer. */
typedef struct sorted_pair {
    uint64_t key;
    const char *item;
} sorted_pair;

static int by_key(const void *a, const void *b) {
    const sorted_pair *p = a, *q = b;
    return p->key != q->key ? p->key < q->key ? -1 : 1 : gjk_pairs_by_ids(p->item, q->item);
}

/* Returns the first eight bytes of a text as a number with the same order. */
static uint64_t key_of(const char *text) {
    uint64_t key = 0;
    for (int shift = 56; shift >= 0 && *text != 0; shift -= 8) {
        key |= (uint64_t)(unsigned char)*text++ << shift;
    }
    return key;
}

static const char *first_id(const void *item) {
    return (*(const gjk_body *const *)item)->id;
}

/* Sorts pairs by key, least significant byte first (radix sort; Knuth, The Art of Computer
 * Programming 3, section 5.2.5), up to the byte where the budget is spent. aside: room for as many
 * pairs. Returns the array with the result: one of the two. */
static sorted_pair *sort_by_keys(sorted_pair *pairs, sorted_pair *aside, uint32_t count,
                                 gjk_budget *budget) {
    uint64_t differ = 0; /* bits that are not the same in all keys */
    for (uint32_t i = 0; i < count; i++) {
        differ |= pairs[i].key ^ pairs[0].key;
    }
    for (uint32_t shift = 0; shift < 64; shift += 8) {
        uint32_t places[257] = {0};
        if ((differ >> shift & 255) == 0 || gjk_budget_spend(budget, count)) {
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            places[(pairs[i].key >> shift & 255) + 1]++;
        }
        for (uint32_t byte = 0; byte < 256; byte++) {
            places[byte + 1] += places[byte];
        }
        for (uint32_t i = 0; i < count; i++) {
            aside[places[pairs[i].key >> shift & 255]++] = pairs[i];
        }
        sorted_pair *const done = aside;
        aside = pairs;
        pairs = done;
    }
    return pairs;
}

/* Sorts answers by ids. The key is the eight bytes of the first id after the prefix that all have
 * in common. Many answers are sorted by keys first; the comparisons that remain find most of them
 * in order, and neither move answers nor read bodies. */
static gjk_status sort_found(gjk_list *found) {
    const uint32_t count = found->count;
    sorted_pair *pairs = gjk_arena_alloc_array(found->arena, 2 * (size_t)count, sizeof *pairs);
    char *sorted = gjk_arena_alloc_array(found->arena, count, found->item_size);
    size_t common = SIZE_MAX;
    if (count < 2 || pairs == NULL || sorted == NULL) {
        return count < 2 ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *id = first_id(found->items + (size_t)i * found->item_size);
        const char *other = first_id(found->items);
        size_t same = 0;
        while (same < common && id[same] != 0 && id[same] == other[same]) {
            same++;
        }
        common = same;
    }
    for (uint32_t i = 0; i < count; i++) {
        pairs[i].item = found->items + (size_t)i * found->item_size;
        pairs[i].key = key_of(first_id(pairs[i].item) + common);
    }
    if (count >= MANY_FOUND) {
        pairs = sort_by_keys(pairs, pairs + count, count, found->arena->budget);
    }
    const gjk_status status = gjk_sort(found->arena, pairs, count, sizeof *pairs, by_key);
    for (uint32_t i = 0; i < count && status == GJK_OK; i++) {
        memcpy(sorted + (size_t)i * found->item_size, pairs[i].item, found->item_size);
    }
    found->items = status == GJK_OK ? sorted : found->items;
    found->capacity = count;
    return status;
}

/* Tests a candidate pair from the trees. Returns false to end the enumeration. */
static bool visit_pair(void *user, const gjk_leaf *a, const gjk_leaf *b) {
    pair_scan *scan = user;
    const gjk_selection *selection = scan->seconds.selection;
    if (scan->left-- == 0) {
        scan->found.truncated = true;
        return false;
    }
    if (gjk_budget_spend(scan->budget, 1)) {
        return false;
    }
    if (!is_pair(scan, a->body, b->body) || !gjk_selection_has(selection, a->body) ||
        !gjk_selection_has(selection, b->body)) {
        return true;
    }
    (void)gjk_budget_spend(scan->budget, gjk_query_steps(a->body->placed.shape) +
                                             gjk_query_steps(b->body->placed.shape));
    const bool swapped = scan->within && strcmp(a->body->id, b->body->id) > 0;
    const gjk_leaf *p = swapped ? b : a, *q = swapped ? a : b;
    gjk_placed room;
    return test_pair(scan, p->body, gjk_leaf_place(scan->first, p, &room), q);
}

/* Tests the collected pairs. Returns false to end the enumeration. */
static bool visit_kept(pair_scan *scan) {
    const uint32_t count = scan->kept_count;
    scan->kept_count = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const gjk_body *body = scan->kept[i / 2][i % 2].body;
        __builtin_prefetch(body->id);
        gjk_prefetch(body->placed.shape, sizeof *body->placed.shape);
    }
    for (uint32_t i = 0; i < 2 * count; i++) {
        gjk_prefetch(scan->kept[i / 2][i % 2].body->placed.shape->columns, GJK_POINT_BYTES);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!visit_pair(scan, &scan->kept[i][0], &scan->kept[i][1])) {
            return false;
        }
    }
    return true;
}

/* Collects a pair from the trees for its test. Returns false to end the enumeration. */
static bool keep_pair(void *user, const gjk_leaf *a, const gjk_leaf *b) {
    pair_scan *scan = user;
    scan->kept[scan->kept_count][0] = *a;
    scan->kept[scan->kept_count++][1] = *b;
    gjk_prefetch(a->body, sizeof *a->body);
    gjk_prefetch(b->body, sizeof *b->body);
    return scan->kept_count < PAIRS_AT_ONCE || visit_kept(scan);
}

/* Finds all pairs by the trees. Returns false if there are no trees, or too many pairs. */
static bool scan_trees(pair_scan *scan) {
    const gjk_snapshot *a = scan->first, *b = scan->seconds.snapshot;
    gjk_budget *budget = scan->budget;
    const gjk_pair_reach reach = {gjk_box_looseness(scan->tolerance), scan->max_distance};
    uint64_t bodies = (uint64_t)gjk_set_count(a->set) + gjk_set_count(b->set);
    if (gjk_set_count(b->set) == 0) {
        return true;
    }
    if (a->tree == NULL || b->tree == NULL || scan->seconds.selection->limit < bodies / 16) {
        return false;
    }
    scan->left = PAIRS_PER_BODY * bodies + PAIRS_IN_ADDITION;
    if (scan->within) {
        gjk_tree_pairs_within(b->tree, reach, budget, keep_pair, scan);
    } else {
        gjk_tree_pairs_between(a->tree, b->tree, reach, budget, keep_pair, scan);
    }
    if (scan_goes_on(scan)) {
        (void)visit_kept(scan);
    }
    if (scan->found.truncated) {
        scan->found.truncated = false;
        scan->found.count = 0;
        return false;
    }
    if (scan_goes_on(scan)) {
        scan->status = sort_found(&scan->found);
    }
    return true;
}

/* Tests the first bodies with larger ids than `after` that are near the bounds of the second set.
 * Returns false, without testing any, if there are more than `most` bodies near the bounds. */
static bool scan_near_bounds(pair_scan *scan, const gjk_body *after, uint32_t most) {
    gjk_query_bounds query = {
        .kind = scan->distance != NULL ? GJK_QUERY_NEAR : GJK_QUERY_OVERLAP,
        .dimension = gjk_set_dimension(scan->first->set),
        .looseness = gjk_box_looseness(scan->tolerance),
    };
    gjk_bounds box = gjk_tree_bounds(scan->seconds.snapshot->tree);
    const double side = gjk_largest3(gjk_sub3(box.max, box.min));
    gjk_list firsts = gjk_list_make(scan->found.arena, sizeof(gjk_leaf));
    gjk_tree_walk walk;
    gjk_leaf a;
    gjk_placed room;
    box = gjk_box_widen(box, query.dimension, query.looseness * side);
    gjk_query_bounds_put_box(&query, &box);
    gjk_tree_walk_init(&walk, scan->budget);
    gjk_tree_walk_aim(&walk, scan->first->tree, &query, scan->max_distance);
    for (uint32_t near = 0; scan->status == GJK_OK && gjk_tree_walk_next(&walk, &a); near++) {
        if (near == most) {
            return false;
        }
        if (strcmp(a.body->id, after->id) > 0 &&
            gjk_selection_has(scan->seconds.selection, a.body)) {
            scan->status = gjk_list_add(&firsts, &a) ? GJK_OK : GJK_OUT_OF_MEMORY;
        }
    }
    gjk_list_heap(&firsts, by_id_backwards);
    while (scan_goes_on(scan) && firsts.count > 0 && !gjk_budget_spend(scan->budget, ROW_STEPS)) {
        gjk_list_take_last(&firsts, by_id_backwards, &a);
        scan_row(scan, a.body, gjk_leaf_place(scan->first, &a, &room));
    }
    return true;
}

/* Finds all pairs: by the trees or, if they do not serve, for each first body in turn. Of two sets,
 * often only few first bodies are near the second set, but to collect them all costs too much if
 * the limit is reached soon. So this is tried from time to time, for no more than a part of the
 * bodies that have been tested. */
static void scan_sets(pair_scan *scan) {
    gjk_set_iterator bodies = gjk_set_iterate(scan->first->set, scan->budget);
    const bool has_trees = scan->first->tree != NULL && scan->seconds.snapshot->tree != NULL;
    uint32_t until = ROWS_AT_FIRST; /* number of bodies to be tested before the next attempt */
    if (scan_trees(scan)) {
        return;
    }
    for (const gjk_body *a; scan_goes_on(scan) && (a = gjk_set_next(&bodies)) != NULL;) {
        if (gjk_selection_has(scan->seconds.selection, a)) {
            const gjk_placed placed = gjk_snapshot_place(scan->first, a);
            scan_row(scan, a, &placed);
        }
        if (bodies.next == until && has_trees && !scan->within && scan_goes_on(scan)) {
            if (scan_near_bounds(scan, a, until / 4)) {
                return;
            }
            until *= 4;
        }
    }
}

gjk_status gjk_set_detect_pairs(const gjk_snapshot *snapshot, const gjk_selection *selection,
                                const gjk_detect_settings *settings, gjk_pair_hits *out) {
    pair_scan scan;
    scan_init(&scan, snapshot, snapshot, selection, settings, sizeof(gjk_pair_hit));
    scan.within = true;
    scan_sets(&scan);
    return scan_end(&scan, out);
}

/* Finds the near pairs of one set, or of two. */
static gjk_status find_near_pairs(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                  bool within, double max_distance, const gjk_selection *selection,
                                  const gjk_distance_settings *settings, gjk_pair_nears *out) {
    pair_scan scan;
    gjk_pair_hits found;
    gjk_distance_settings distance = *settings;
    const gjk_detect_settings detect = {.tolerance = settings->tolerance};
    scan_init(&scan, snapshot, other, selection, &detect, sizeof(gjk_pair_near));
    distance.budget = selection->budget;
    scan.within = within;
    scan.distance = &distance;
    scan.max_distance = max_distance;
    scan_sets(&scan);
    const gjk_status status = scan_end(&scan, &found);
    *out =
        (gjk_pair_nears){(gjk_pair_near *)(void *)scan.found.items, found.count, found.truncated};
    return status;
}

gjk_status gjk_set_near_pairs(const gjk_snapshot *snapshot, double max_distance,
                              const gjk_selection *selection, const gjk_distance_settings *settings,
                              gjk_pair_nears *out) {
    return find_near_pairs(snapshot, snapshot, true, max_distance, selection, settings, out);
}

gjk_status gjk_set_near_pairs_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                      double max_distance, const gjk_selection *selection,
                                      const gjk_distance_settings *settings, gjk_pair_nears *out) {
    gjk_selection all = *selection;
    all.except = NULL;
    return find_near_pairs(snapshot, other, false, max_distance, &all, settings, out);
}

gjk_status gjk_set_detect_pairs_of(const gjk_snapshot *snapshot, const gjk_body *body,
                                   const gjk_selection *selection,
                                   const gjk_detect_settings *settings, gjk_pair_hits *out) {
    pair_scan scan;
    const gjk_leaf a = {body, NULL};
    gjk_leaf b;
    GJK_ASSERT(snapshot->next == NULL);
    scan_init(&scan, snapshot, snapshot, selection, settings, sizeof(gjk_pair_hit));
    scan.within = true;
    const gjk_query_bounds query =
        gjk_query_bounds_of(GJK_QUERY_OVERLAP, &body->placed, scan.tolerance);
    gjk_set_walk_aim(&scan.seconds, &query, 0.0);
    while (scan_goes_on(&scan) && gjk_set_walk_next(&scan.seconds, &b)) {
        (void)(b.body == body || visit_pair(&scan, &a, &b));
    }
    if (scan.status == GJK_OK && !gjk_budget_is_spent(scan.budget)) {
        scan.status = sort_found(&scan.found);
    }
    return scan_end(&scan, out);
}

gjk_status gjk_set_detect_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                  const gjk_selection *selection,
                                  const gjk_detect_settings *settings, gjk_pair_hits *out) {
    pair_scan scan;
    gjk_selection all = *selection;
    all.except = NULL;
    scan_init(&scan, snapshot, other, &all, settings, sizeof(gjk_pair_hit));
    scan_sets(&scan);
    return scan_end(&scan, out);
}

/* Bodies wholly within a convex polytope: for each facet, the body's support point along the normal
 * is not beyond the facet. This also decides for curved bodies; a shape of pieces is within if each
 * piece is. */

typedef struct container {
    gjk_near_shape near; /* the polytope about its middle */
    gjk_wide3 at;        /* middle of the polytope in the world */
    gjk_facets facets;
    double tolerance; /* from the settings */
    gjk_budget *budget;
} container;

/* Returns true if a shape extends beyond a facet by more than `slack`, both in the shape's
 * frame. */
static bool is_beyond(const gjk_shape *shape, const gjk_facet *facet, double slack) {
    const gjk_vec3 n = facet->normal;
    if (gjk_dot3(n, shape->center) + shape->bounding_radius <= facet->offset) {
        return false;
    }
    return gjk_dot3(n, gjk_support_of(shape, n)) + shape->radius > facet->offset + slack;
}

static bool convex_lies_within(container *in, const gjk_placed *body) {
    gjk_near_shape near;
    const gjk_wide3 at = gjk_near_make(body, &near);
    near.placed.pose.position = gjk_wide3_sub(at, in->at);
    const gjk_pose pose = gjk_pose_relative(&in->near.placed.pose, &near.placed.pose);
    const gjk_shape *shape = near.placed.shape, *around = in->near.placed.shape;
    const double far = gjk_largest3(pose.position) + shape->reach + around->reach;
    const double slack =
        in->tolerance * gjk_larger(shape->size, around->size) + 8.0 * GJK_ROUNDING * far;
    for (uint32_t i = 0; i < in->facets.count; i++) {
        const gjk_facet *of = &in->facets.items[i];
        const gjk_facet facet = {/* in the body's own frame */
                                 gjk_mul3_transposed(&pose.rotation, of->normal),
                                 of->offset - gjk_dot3(of->normal, pose.position)};
        if (is_beyond(shape, &facet, slack) || gjk_budget_spend(in->budget, 4 + shape->count / 4)) {
            return false;
        }
    }
    return true;
}

static bool lies_within(container *in, const gjk_placed *body) {
    const struct gjk_pieces *pieces = body->shape->pieces;
    if (pieces == NULL) {
        return convex_lies_within(in, body);
    }
    for (uint32_t next = 0, i; gjk_pieces_next(pieces, in->budget, &next, &i);) {
        gjk_piece piece;
        gjk_piece_make(body, i, &piece);
        if (!convex_lies_within(in, &piece.placed)) {
            return false;
        }
    }
    return true;
}

/* Returns the convex shape of a container, which may be the only part of a compound, or NULL if the
 * container is not convex. */
static const gjk_placed *only_piece(const gjk_placed *placed, gjk_piece *room) {
    const gjk_shape *shape = placed->shape;
    if (shape->type != GJK_COMPOUND) {
        return placed;
    }
    if (gjk_pieces_count(shape->pieces) != 1) {
        return NULL;
    }
    gjk_piece_make(placed, 0, room);
    return &room->placed;
}

bool gjk_may_contain(const gjk_placed *placed) {
    gjk_piece room;
    const gjk_placed *convex = only_piece(placed, &room);
    const gjk_shape *shape = convex != NULL ? convex->shape : NULL;
    return shape != NULL && shape->radius == 0.0 &&
           (shape->type == GJK_BOX || shape->type == GJK_POLYGON || shape->type == GJK_HULL ||
            shape->type == GJK_TRIANGLE);
}

gjk_status gjk_set_within(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) {
    gjk_piece room;
    container in = {.tolerance = settings->tolerance, .budget = selection->budget};
    GJK_ASSERT(gjk_may_contain(a));
    in.at = gjk_near_make(only_piece(a, &room), &in.near);
    gjk_detect_settings state_only = *settings;
    state_only.penetration = false;
    gjk_selection all = *selection; /* bodies that collide with a: those within are among them */
    all.limit = UINT32_MAX;
    gjk_status status = gjk_facets_make(selection->arena, in.near.placed.shape, &in.facets);
    if (status == GJK_OK) {
        status = gjk_set_detect(snapshot, a, &all, &state_only, out);
    }
    uint32_t kept = 0, count = status == GJK_OK ? out->count : 0;
    for (uint32_t i = 0; i < count && kept <= selection->limit && !gjk_budget_is_spent(in.budget);
         i++) {
        const gjk_placed placed = gjk_snapshot_place(snapshot, out->items[i].body);
        if (lies_within(&in, &placed)) {
            out->items[kept++] = out->items[i];
        }
    }
    out->truncated = kept > selection->limit;
    out->count = out->truncated ? selection->limit : kept;
    return status == GJK_OK && gjk_budget_is_spent(in.budget) ? GJK_GIVEN_UP : status;
}
