/*
 * Rows of configurations. The tree finds for each moved body the others whose boxes meet its own
 * (or, for distances, that are nearer than the nearest pair so far); moved bodies are tried against
 * each other by their boxes, which are made once a row. The pair that spoke for the last row is
 * tried first: it is likely to speak again. Then nearly all others are passed over: by their ids,
 * which must be less to be of interest, moved bodies in the order of theirs; or by their distances,
 * by a bound along the line of their centres, which costs two supports. Where several of the
 * nearest pairs are asked for, the worst of them that are kept bounds the search.
 */

#include "base/numbers.h"
#include "gjk/budget.h"
#include "gjk/configuration.h"
#include "gjk/sort.h"
#include "ray/casts/advance.h"
#include "ray/casts/casts.h"
#include "scene/scene.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

/* Shared by the files about rows of configurations. */

typedef struct gjk_body_pair {
    const gjk_body *a, *b; /* by address, the lower one first */
} gjk_body_pair;

struct gjk_configurations {
    gjk_snapshot snapshot;
    gjk_configuration_settings settings;
    gjk_filter filter;
    gjk_detect_settings detect;
    gjk_distance_settings distance;
    const gjk_body **moved; /* sorted by address */
    uint32_t *indices;      /* which of the moved ones each of these is */
    uint32_t *order;        /* the moved ones by their ids */
    const char *least_id;   /* of the bodies that are not moved; NULL: there are none */
    gjk_body_pair *allowed; /* sorted */
};

/* One row that is asked. Set member by member: it is large. */
typedef struct gjk_asked_row {
    const struct gjk_configurations *c;
    const gjk_pose *poses, *before;
    gjk_configuration *out;
    double bound;     /* distances: signed */
    gjk_list nearest; /* pairs, where several are asked for */
    uint32_t limit;
    gjk_status status;
    gjk_selection selection;
    gjk_detect_settings detect; /* with the budget */
    gjk_distance_settings distance;
    gjk_set_walk walk;
    gjk_query_bounds boxes[GJK_ROW_BOXES]; /* of the moved bodies */
} gjk_asked_row;

/* A body that takes part, and where it stands in the row. */
typedef struct gjk_participant {
    const gjk_body *body;
    const gjk_placed *placed;
} gjk_participant;

/* Tests a pair, of which a comes first by id. Returns false if the budget is spent. */
typedef bool (*gjk_pair_test)(gjk_asked_row *row, const gjk_participant *a,
                              const gjk_participant *b);

/* --- Finding the bodies --- */

static int compare_addresses(const void *a, const void *b) {
    const uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;
    return p < q ? -1 : p > q;
}

static int compare_moved(const void *a, const void *b) {
    return compare_addresses(*(const gjk_body *const *)a, *(const gjk_body *const *)b);
}

static int compare_pairs(const void *a, const void *b) {
    const gjk_body_pair *p = a, *q = b;
    const int first = compare_addresses(p->a, q->a);
    return first != 0 ? first : compare_addresses(p->b, q->b);
}

static gjk_body_pair pair_of(const gjk_body *a, const gjk_body *b) {
    return compare_addresses(a, b) < 0 ? (gjk_body_pair){a, b} : (gjk_body_pair){b, a};
}

/* The index of a moved body, or UINT32_MAX. */
static uint32_t configuration_index(const struct gjk_configurations *c, const gjk_body *body) {
    uint32_t low = 0, high = c->settings.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_addresses(c->moved[middle], body) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < c->settings.count && c->moved[low] == body ? c->indices[low] : UINT32_MAX;
}

static bool configuration_allows(const struct gjk_configurations *c, const gjk_body *a,
                                 const gjk_body *b) {
    const gjk_body_pair pair = pair_of(a, b);
    uint32_t low = 0, high = c->settings.allowed_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare_pairs(&c->allowed[middle], &pair);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* The moved bodies by address, with what each of them is in the order given. */
static gjk_status sort_moved(struct gjk_configurations *c, struct gjk_arena *arena) {
    const uint32_t count = c->settings.count;
    for (uint32_t i = 0; i < count; i++) {
        c->moved[i] = c->settings.moved[i];
    }
    const gjk_status status = gjk_sort(arena, c->moved, count, sizeof(gjk_body *), compare_moved);
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        uint32_t low = 0, high = count;
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (compare_addresses(c->moved[middle], c->settings.moved[i]) <= 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        c->indices[low] = i;
    }
    return status;
}

static int compare_ids(const void *a, const void *b) {
    return strcmp((*(const gjk_body *const *)a)->id, (*(const gjk_body *const *)b)->id);
}

/* The moved bodies by id, and the first of the others. */
static gjk_status sort_ids(struct gjk_configurations *c, struct gjk_arena *arena) {
    const uint32_t count = c->settings.count;
    const gjk_body **by_id = gjk_arena_alloc_array(arena, count, sizeof *by_id);
    if (by_id == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        by_id[i] = c->settings.moved[i];
    }
    const gjk_status status = gjk_sort(arena, by_id, count, sizeof *by_id, compare_ids);
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        c->order[i] = configuration_index(c, by_id[i]);
    }
    gjk_set_iterator bodies = gjk_set_iterate(c->snapshot.set, arena->budget);
    for (const gjk_body *body; c->least_id == NULL && (body = gjk_set_next(&bodies)) != NULL;) {
        c->least_id = configuration_index(c, body) == UINT32_MAX ? body->id : NULL;
    }
    return gjk_budget_is_spent(arena->budget) ? GJK_GIVEN_UP : status;
}

gjk_status gjk_configurations_new(const gjk_snapshot *snapshot,
                                  const gjk_configuration_settings *settings,
                                  struct gjk_arena *arena, struct gjk_configurations **out) {
    const uint32_t count = settings->count;
    struct gjk_configurations *c = gjk_arena_alloc(arena, sizeof *c);
    if (c == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    memset(c, 0, sizeof *c);
    c->snapshot = *snapshot;
    c->settings = *settings;
    c->filter = settings->filter != NULL ? *settings->filter : gjk_filter_default();
    c->detect = gjk_detect_settings_default();
    c->detect.tolerance = settings->tolerance;
    c->detect.max_iterations = settings->max_iterations;
    c->detect.penetration = false;
    c->distance = gjk_distance_settings_default();
    c->distance.tolerance = settings->tolerance;
    c->distance.max_iterations = settings->max_iterations;
    c->distance.is_signed = true;
    c->moved = gjk_arena_alloc_array(arena, count, sizeof(gjk_body *));
    c->indices = gjk_arena_alloc_array(arena, count, sizeof *c->indices);
    c->order = gjk_arena_alloc_array(arena, count, sizeof *c->order);
    c->allowed = gjk_arena_alloc_array(arena, settings->allowed_count, sizeof *c->allowed);
    if (c->moved == NULL || c->indices == NULL || c->order == NULL || c->allowed == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    *out = c;
    gjk_status status = sort_moved(c, arena);
    status = status == GJK_OK ? sort_ids(c, arena) : status;
    for (uint32_t i = 0; i < settings->allowed_count; i++) {
        c->allowed[i] = pair_of(settings->allowed[i].a, settings->allowed[i].b);
    }
    return status == GJK_OK ? gjk_sort(arena, c->allowed, settings->allowed_count,
                                       sizeof *c->allowed, compare_pairs)
                            : status;
}

/* --- One row --- */

/* Returns true if the ids of the pair come before those of the row's pair. */
static bool row_is_less(const gjk_asked_row *row, const gjk_body *a, const gjk_body *b) {
    const gjk_configuration *than = row->out;
    const int first = a == than->a ? 0 : strcmp(a->id, than->a->id);
    return first != 0 ? first < 0 : strcmp(b->id, than->b->id) < 0;
}

/* Returns where a body stands in the row. */
static gjk_placed place_in_row(const gjk_asked_row *row, const gjk_body *body) {
    const uint32_t index = configuration_index(row->c, body);
    if (index == UINT32_MAX) {
        return gjk_snapshot_place(&row->c->snapshot, body);
    }
    return (gjk_placed){body->placed.shape, row->poses[index]};
}

static gjk_placed place_moved(const gjk_asked_row *row, uint32_t i) {
    return (gjk_placed){row->c->settings.moved[i]->placed.shape, row->poses[i]};
}

/* Tests a pair, in the order of its ids. */
static void row_test(gjk_asked_row *row, gjk_pair_test ask, const gjk_participant *p,
                     const gjk_participant *q) {
    const bool swapped = strcmp(p->body->id, q->body->id) > 0;
    if (row->status == GJK_OK && !ask(row, swapped ? q : p, swapped ? p : q)) {
        row->status = GJK_GIVEN_UP;
    }
}

static void begin_row(const struct gjk_configurations *c, const gjk_pose *poses,
                      const gjk_pose *before, gjk_budget *budget, gjk_asked_row *row,
                      gjk_configuration *out) {
    out->colliding = false;
    out->a = out->b = NULL;
    out->fraction = 1.0;
    out->result.convergence = GJK_CONVERGED;
    row->c = c;
    row->poses = poses;
    row->before = before;
    row->selection = (gjk_selection){.filter = &c->filter, .budget = budget};
    row->out = out;
    row->bound = INFINITY;
    row->detect = c->detect;
    row->distance = c->distance;
    row->detect.budget = row->distance.budget = budget;
    row->status = GJK_OK;
    gjk_set_walk_init(&row->walk, &c->snapshot, &row->selection);
}

/* Tests a moved body with those others that the walk, which is aimed, finds. */
static void row_test_found(gjk_asked_row *row, const gjk_participant *moved, gjk_pair_test ask) {
    const struct gjk_configurations *c = row->c;
    gjk_leaf leaf;
    while (row->status == GJK_OK && gjk_set_walk_next(&row->walk, &leaf)) {
        if (configuration_index(c, leaf.body) == UINT32_MAX &&
            !configuration_allows(c, moved->body, leaf.body)) {
            gjk_placed room;
            const gjk_participant found = {leaf.body, gjk_leaf_place(&c->snapshot, &leaf, &room)};
            row_test(row, ask, moved, &found);
        }
    }
    if (gjk_budget_is_spent(row->walk.tree.budget)) {
        row->status = GJK_GIVEN_UP;
    }
}

static void test_hint(gjk_asked_row *row, const gjk_configuration_hint *hint, gjk_pair_test ask) {
    if (hint->a != NULL) {
        const gjk_placed a = place_in_row(row, hint->a), b = place_in_row(row, hint->b);
        const gjk_participant p = {hint->a, &a}, q = {hint->b, &b};
        row_test(row, ask, &p, &q);
    }
}

static gjk_query_bounds make_box(const gjk_asked_row *row, uint32_t i) {
    const gjk_placed placed = place_moved(row, i);
    return gjk_query_bounds_of(row->c->settings.distance ? GJK_QUERY_NEAR : GJK_QUERY_OVERLAP,
                               &placed, row->c->settings.tolerance);
}

static void make_boxes(gjk_asked_row *row, gjk_query_bounds_kind kind) {
    for (uint32_t i = 0; i < row->c->settings.count && i < GJK_ROW_BOXES; i++) {
        row->boxes[i] = make_box(row, i);
        row->boxes[i].kind = kind;
    }
}

/* Counts a look at another moved body. False: the budget is spent. */
static bool go_on(gjk_asked_row *row, uint32_t i) {
    if (gjk_budget_spend(row->selection.budget, i < GJK_ROW_BOXES ? 2 : 32)) {
        row->status = GJK_GIVEN_UP;
    }
    return row->status == GJK_OK;
}

static const gjk_query_bounds *box_of(const gjk_asked_row *row, uint32_t i,
                                      gjk_query_bounds *room) {
    if (i < GJK_ROW_BOXES) {
        return &row->boxes[i];
    }
    *room = make_box(row, i);
    return room;
}

/* --- Does any collide? --- */

static bool ask_collision(gjk_asked_row *row, const gjk_participant *a, const gjk_participant *b) {
    gjk_configuration *out = row->out;
    if (out->colliding && !row_is_less(row, a->body, b->body)) {
        return true;
    }
    const gjk_detect_result result = gjk_detect(a->placed, b->placed, &row->detect);
    if (result.state != GJK_SEPARATED && !result.given_up) {
        out->colliding = true;
        out->a = a->body;
        out->b = b->body;
        out->result.convergence = result.convergence;
    }
    return !result.given_up;
}

static bool boxes_meet(const gjk_query_bounds *p, const gjk_query_bounds *q) {
    bool meet = true;
    for (uint32_t axis = 0; axis < p->dimension; axis++) {
        meet = meet && p->min[axis] <= q->max[axis] && q->min[axis] <= p->max[axis];
    }
    return meet;
}

static void find_collision(gjk_asked_row *row, const gjk_configuration_hint *hint) {
    const struct gjk_configurations *c = row->c;
    const gjk_configuration_settings *s = &c->settings;
    test_hint(row, hint, ask_collision);
    make_boxes(row, GJK_QUERY_OVERLAP);
    for (uint32_t k = 0; k < s->count && row->status == GJK_OK; k++) {
        const uint32_t i = c->order[k];
        const gjk_placed placed = place_moved(row, i);
        const gjk_participant moved = {s->moved[i], &placed};
        gjk_query_bounds room, other_room;
        /* No pair of this moved body, or of those behind it by their ids, is less than the one
         * found: */
        const gjk_configuration *out = row->out;
        const char *least = row->c->least_id;
        if (out->colliding && strcmp(moved.body->id, out->a->id) > 0 &&
            (least == NULL || strcmp(least, out->a->id) > 0)) {
            return;
        }
        const gjk_query_bounds *box = box_of(row, i, &room);
        gjk_set_walk_aim(&row->walk, box, 0.0);
        row_test_found(row, &moved, ask_collision);
        for (uint32_t l = k + 1; s->self && l < s->count && go_on(row, l); l++) {
            const uint32_t j = c->order[l];
            if (boxes_meet(box, box_of(row, j, &other_room)) &&
                !configuration_allows(c, s->moved[i], s->moved[j])) {
                const gjk_placed at = place_moved(row, j);
                const gjk_participant other = {s->moved[j], &at};
                row_test(row, ask_collision, &moved, &other);
            }
        }
    }
}

/* --- How near is the nearest? --- */

/* Returns how far a shape reaches along a direction of the world, from its own origin's place. */
static double reach_along(const gjk_placed *placed, gjk_vec3 direction) {
    const gjk_vec3 own = gjk_mul3_transposed(&placed->pose.rotation, direction);
    return gjk_dot3(own, gjk_support_of(placed->shape, own)) + placed->shape->radius;
}

static bool is_plain(const gjk_placed *placed) {
    return placed->shape->count > 0 && !placed->shape->is_far && placed->pose.form != GJK_POSE_REST;
}

/* A lower bound of the signed distance of two polytopes: the gap along the line of their centres,
 * less what the roundings may come to. -INFINITY where that is not known. */
static double gap_between(const gjk_placed *p, const gjk_placed *q) {
    const gjk_vec3 way = gjk_sub3(gjk_pose_apply(&q->pose, q->shape->center),
                                  gjk_pose_apply(&p->pose, p->shape->center));
    const double length = gjk_length3(way);
    if (!is_plain(p) || !is_plain(q) || !(length > 0.0) || !(length < GJK_COORDINATE_MAX)) {
        return -INFINITY;
    }
    const gjk_vec3 d = gjk_scale3(1.0 / length, way);
    const gjk_vec3 between = gjk_sub3(q->pose.position, p->pose.position);
    return gjk_dot3(between, d) - reach_along(p, d) - reach_along(q, gjk_neg3(d)) -
           0x1p-44 * (gjk_largest3(p->pose.position) + gjk_largest3(q->pose.position) + length +
                      p->shape->reach + q->shape->reach);
}

/* Depths are exact where they converge, as those of polytopes of so many points do by default. */
#define EXACT_POINTS_MAX 128

/* Returns true if a bound shows that the pair is farther apart than those of interest. */
static bool is_farther(const gjk_asked_row *row, const gjk_participant *a,
                       const gjk_participant *b) {
    const bool is_exact = row->c->settings.max_iterations >= GJK_ITERATIONS_DEFAULT &&
                          a->placed->shape->count + b->placed->shape->count <= EXACT_POINTS_MAX;
    return (row->bound >= 0.0 || is_exact) && gap_between(a->placed, b->placed) > row->bound;
}

static void narrow(gjk_asked_row *row, double bound) {
    row->bound = bound;
    gjk_tree_walk_narrow(&row->walk.tree, gjk_larger(bound, 0.0));
}

static bool ask_distance(gjk_asked_row *row, const gjk_participant *a, const gjk_participant *b) {
    gjk_configuration *out = row->out;
    const bool is_known = out->a == a->body && out->b == b->body;
    if (is_known || is_farther(row, a, b)) {
        return true;
    }
    const gjk_distance_result result = gjk_distance(a->placed, b->placed, &row->distance);
    if (result.given_up) {
        return false;
    }
    const double found = result.signed_distance;
    if (found > row->bound ||
        (out->a != NULL && found == row->bound && !row_is_less(row, a->body, b->body))) {
        return true;
    }
    out->a = a->body;
    out->b = b->body;
    out->result = result;
    narrow(row, found);
    return true;
}

static bool ask_nearest(gjk_asked_row *row, const gjk_participant *a, const gjk_participant *b) {
    gjk_list *nearest = &row->nearest;
    if (is_farther(row, a, b)) {
        return true;
    }
    const gjk_pair_near pair = {a->body, b->body,
                                gjk_distance(a->placed, b->placed, &row->distance)};
    if (pair.result.given_up || pair.result.signed_distance > row->bound) {
        return !pair.result.given_up;
    }
    if (!gjk_list_offer(nearest, row->limit, gjk_pairs_by_signed_distance, &pair)) {
        row->status = GJK_OUT_OF_MEMORY;
    } else if (nearest->count == row->limit && nearest->truncated) {
        narrow(row, ((const gjk_pair_near *)(void *)nearest->items)->result.signed_distance);
    }
    return true;
}

/* Returns true if two boxes are apart by more than the bound. */
static bool boxes_are_apart(const gjk_query_bounds *p, const gjk_query_bounds *q, double bound) {
    double squared = 0.0;
    for (uint32_t axis = 0; axis < p->dimension; axis++) {
        const double gap =
            gjk_larger(gjk_larger(p->min[axis] - q->max[axis], q->min[axis] - p->max[axis]), 0.0);
        squared += gap * gap;
    }
    return squared > bound * bound * (1.0 + 0x1p-48);
}

/* Tests all pairs that are not farther apart than the bound, which the test narrows. */
static void row_test_near(gjk_asked_row *row, gjk_pair_test ask) {
    const struct gjk_configurations *c = row->c;
    const gjk_configuration_settings *s = &c->settings;
    make_boxes(row, GJK_QUERY_NEAR);
    for (uint32_t k = 0; k < s->count && row->status == GJK_OK; k++) {
        const uint32_t i = c->order[k];
        const gjk_placed placed = place_moved(row, i);
        const gjk_participant moved = {s->moved[i], &placed};
        gjk_query_bounds room, other_room;
        const gjk_query_bounds *box = box_of(row, i, &room);
        for (uint32_t l = k + 1; s->self && l < s->count && go_on(row, l); l++) {
            const uint32_t j = c->order[l];
            if (!boxes_are_apart(box, box_of(row, j, &other_room), gjk_larger(row->bound, 0.0)) &&
                !configuration_allows(c, s->moved[i], s->moved[j])) {
                const gjk_placed at = place_moved(row, j);
                const gjk_participant other = {s->moved[j], &at};
                row_test(row, ask, &moved, &other);
            }
        }
        gjk_set_walk_aim(&row->walk, box, gjk_larger(row->bound, 0.0));
        row_test_found(row, &moved, ask);
    }
}

/* Makes what a pair says of itself the answer: the normal leaves the moved body. */
static void tell_distance(const struct gjk_configurations *c, const gjk_body *a,
                          gjk_distance_result *result) {
    if (result->distance == 0.0) {
        result->lower_bound = result->signed_distance;
    }
    if (configuration_index(c, a) == UINT32_MAX) {
        result->normal = gjk_sub3((gjk_vec3){0.0, 0.0, 0.0}, result->normal);
    }
}

gjk_status gjk_configuration_nearest(const struct gjk_configurations *configurations,
                                     const gjk_pose *poses, uint32_t limit, struct gjk_arena *arena,
                                     gjk_pair_nears *out) {
    gjk_configuration none;
    gjk_asked_row row;
    begin_row(configurations, poses, NULL, arena->budget, &row, &none);
    row.bound = configurations->settings.threshold;
    row.nearest = gjk_list_make(arena, sizeof(gjk_pair_near));
    row.limit = limit;
    row_test_near(&row, ask_nearest);
    if (row.status == GJK_OK) {
        row.status = gjk_list_sort(&row.nearest, gjk_pairs_by_signed_distance);
    }
    *out = (gjk_pair_nears){(gjk_pair_near *)(void *)row.nearest.items, row.nearest.count,
                            row.nearest.truncated};
    for (uint32_t i = 0; i < out->count; i++) {
        tell_distance(configurations, out->items[i].a, &out->items[i].result);
    }
    return row.status;
}

/* --- Motions --- */

static void row_find_contact(gjk_asked_row *row);

/* Looks for collisions at the start, on the way and at the end, in this order. */
static gjk_status follow(const struct gjk_configurations *c, const gjk_pose *poses,
                         const gjk_pose *before, gjk_budget *budget, gjk_configuration_hint *hint,
                         gjk_configuration *out) {
    gjk_asked_row row;
    begin_row(c, before, NULL, budget, &row, out);
    find_collision(&row, hint);
    if (row.status != GJK_OK || out->colliding) {
        out->fraction = out->colliding ? 0.0 : 1.0;
        return row.status;
    }
    begin_row(c, poses, before, budget, &row, out);
    row_find_contact(&row);
    if (row.status != GJK_OK || out->colliding) {
        return row.status;
    }
    begin_row(c, poses, NULL, budget, &row, out);
    find_collision(&row, hint);
    return row.status;
}

gjk_status gjk_configuration_ask(const struct gjk_configurations *configurations,
                                 const gjk_pose *poses, const gjk_pose *before, gjk_budget *budget,
                                 gjk_configuration_hint *hint, gjk_configuration *out) {
    const gjk_configuration_settings *s = &configurations->settings;
    gjk_status status = GJK_OK;
    gjk_asked_row asked;
    begin_row(configurations, poses, NULL, budget, &asked, out);
    if (before != NULL) {
        status = follow(configurations, poses, before, budget, hint, out);
    } else if (!s->distance) {
        find_collision(&asked, hint);
        status = asked.status;
        out->fraction = out->colliding ? 0.0 : 1.0;
    }
    if (s->distance && out->colliding && status == GJK_OK) {
        const gjk_placed p = place_in_row(&asked, out->a), q = place_in_row(&asked, out->b);
        out->result = gjk_distance(&p, &q, &asked.distance);
        status = out->result.given_up ? GJK_GIVEN_UP : GJK_OK;
    } else if (s->distance && status == GJK_OK) {
        asked.bound = s->threshold;
        test_hint(&asked, hint, ask_distance);
        row_test_near(&asked, ask_distance);
        out->colliding = out->a != NULL && out->result.state != GJK_SEPARATED;
        status = asked.status;
        out->fraction = out->colliding ? 0.0 : 1.0;
    }
    if (out->a != NULL) {
        *hint = (gjk_configuration_hint){out->a, out->b};
        if (s->distance && status == GJK_OK) {
            tell_distance(configurations, out->a, &out->result);
        }
    }
    return status;
}

/* Motions from row to row: pairs are advanced one by one up to the first contact so far
 * (ray/casts/advance.c), with the box that a moved body may pass in place of its own. */

/* Steps of the motion of one pair of convex parts. */
#define MOTION_STEPS 128

/* One of two bodies that meet. */
typedef struct traveller {
    gjk_placed from;
    gjk_rigid_motion motion;
    bool rests;
} traveller;

/* The first contact of two of them, piece by piece. */
typedef struct encounter {
    traveller a, b;
    gjk_cast_settings settings;
    gjk_budget *budget;
    double bound;
    bool hit;
} encounter;

static void meet_parts(encounter *e, const gjk_placed *part_a, const gjk_placed *part_b) {
    gjk_mover a, b;
    gjk_mover_make(&e->a.from.pose, part_a, &e->a.motion, &a);
    gjk_mover_make(&e->b.from.pose, part_b, &e->b.motion, &b);
    const gjk_meeting meeting = gjk_advance(&a, &b, e->bound, &e->settings);
    if (meeting.hit && (!e->hit || meeting.fraction < e->bound)) {
        e->hit = true;
        e->bound = meeting.fraction;
    }
}

/* A part of a and the pieces of b, which rests, that it may pass. */
static void meet_near(encounter *e, const gjk_placed *part_a) {
    const struct gjk_pieces *pieces = e->b.from.shape->pieces;
    gjk_mover mover;
    gjk_mover_make(&e->a.from.pose, part_a, &e->a.motion, &mover);
    const gjk_bounds box = gjk_swept_bounds(&mover, &e->b.from.pose);
    const double slack =
        gjk_swept_slack(&e->a.from, &e->b.from, e->a.motion.translation, e->settings.tolerance);
    gjk_pieces_walk walk;
    uint32_t first, count;
    gjk_pieces_walk_begin(&walk, &pieces->tree, GJK_WALK_OVERLAP, &box, slack, 0.0, e->budget);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            gjk_piece piece;
            if (gjk_budget_spend(e->budget, MOTION_STEPS)) {
                return;
            }
            gjk_piece_make_own(pieces, pieces->tree.order[slot], &piece);
            meet_parts(e, part_a, &piece.placed);
        }
    }
}

static void meet_part(encounter *e, const gjk_placed *part_a) {
    const struct gjk_pieces *pieces = e->b.from.shape->pieces;
    const gjk_placed whole = {e->b.from.shape, gjk_pose_identity()};
    if (pieces == NULL) {
        meet_parts(e, part_a, &whole);
    } else if (e->b.rests) {
        meet_near(e, part_a);
    } else {
        for (uint32_t next = 0, i; gjk_pieces_next(pieces, e->budget, &next, &i);) {
            gjk_piece piece;
            gjk_piece_make_own(pieces, i, &piece);
            meet_parts(e, part_a, &piece.placed);
        }
    }
}

static bool bounds_meet(const gjk_bounds *p, const gjk_bounds *q) {
    return p->min.x <= q->max.x && q->min.x <= p->max.x && p->min.y <= q->max.y &&
           q->min.y <= p->max.y && p->min.z <= q->max.z && q->min.z <= p->max.z;
}

static void meet(encounter *e) {
    const struct gjk_pieces *pieces = e->a.from.shape->pieces;
    const gjk_placed whole = {e->a.from.shape, gjk_pose_identity()};
    if (pieces == NULL) {
        meet_part(e, &whole);
        return;
    }
    const double slack =
        gjk_swept_slack(&e->a.from, &e->b.from, e->a.motion.translation, e->settings.tolerance);
    const gjk_bounds box_b =
        gjk_box_widen(gjk_box_of(&e->b.from), e->b.from.shape->dimension, slack);
    for (uint32_t next = 0, i; gjk_pieces_next(pieces, e->budget, &next, &i);) {
        gjk_piece piece;
        gjk_piece_make_own(pieces, i, &piece);
        const gjk_pose world = gjk_pose_identity();
        gjk_mover mover;
        gjk_mover_make(&e->a.from.pose, &piece.placed, &e->a.motion, &mover);
        const gjk_bounds box = gjk_swept_bounds(&mover, &world);
        if (!e->b.rests || bounds_meet(&box, &box_b)) {
            meet_part(e, &piece.placed);
        }
    }
}

static traveller find_traveller(const gjk_asked_row *row, const gjk_body *body) {
    const uint32_t index = configuration_index(row->c, body);
    traveller found = {.rests = index == UINT32_MAX};
    if (found.rests) {
        found.from = gjk_snapshot_place(&row->c->snapshot, body);
        found.motion = gjk_rigid_motion_straight((gjk_vec3){0.0, 0.0, 0.0});
    } else {
        found.from = (gjk_placed){body->placed.shape, row->before[index]};
        found.motion = gjk_rigid_motion_between(body->placed.shape->dimension, &row->before[index],
                                                &row->poses[index]);
    }
    return found;
}

static bool ask_motion(gjk_asked_row *row, const gjk_participant *p, const gjk_participant *q) {
    const gjk_body *a = p->body, *b = q->body;
    gjk_configuration *out = row->out;
    const gjk_configuration_settings *s = &row->c->settings;
    if (gjk_budget_spend(row->walk.tree.budget, MOTION_STEPS)) {
        return false;
    }
    encounter e = {
        .a = find_traveller(row, a),
        .b = find_traveller(row, b),
        .settings = {.tolerance = s->tolerance,
                     .max_iterations = s->max_iterations,
                     .budget = row->walk.tree.budget},
        .budget = row->walk.tree.budget,
        .bound = out->colliding ? out->fraction : 1.0,
    };
    if (e.a.rests) { /* the moving one comes first: the resting one is searched by its tree */
        const traveller rests = e.a;
        e.a = e.b;
        e.b = rests;
    }
    meet(&e);
    if (gjk_budget_is_spent(e.budget)) {
        return false;
    }
    if (e.hit && (!out->colliding || e.bound < out->fraction ||
                  (e.bound == out->fraction && row_is_less(row, a, b)))) {
        out->colliding = true;
        out->a = a;
        out->b = b;
        out->fraction = e.bound;
    }
    return true;
}

/* Everything that a moved body may pass. */
static gjk_bounds passed(const gjk_asked_row *row, uint32_t i, double tolerance) {
    const gjk_shape *shape = row->c->settings.moved[i]->placed.shape;
    const gjk_placed from = {shape, row->before[i]}, to = {shape, row->poses[i]};
    const gjk_rigid_motion motion =
        gjk_rigid_motion_between(shape->dimension, &from.pose, &to.pose);
    const gjk_query_bounds at_start = gjk_query_bounds_of_turning(&from, &motion, tolerance);
    const gjk_vec3 min = {at_start.min[0], at_start.min[1], at_start.min[2]};
    const gjk_vec3 max = {at_start.max[0], at_start.max[1], at_start.max[2]};
    const gjk_bounds first = {min, max};
    const gjk_bounds last = {gjk_add3(min, motion.translation), gjk_add3(max, motion.translation)};
    return gjk_box_widen(gjk_box_join(&first, &last), shape->dimension,
                         GJK_BOX_ROUNDING * gjk_largest3(motion.translation));
}

/* Finds the first contact of the motions from row->before to row->poses. */
static void row_find_contact(gjk_asked_row *row) {
    const struct gjk_configurations *c = row->c;
    const gjk_configuration_settings *s = &c->settings;
    for (uint32_t i = 0; i < s->count && row->status == GJK_OK; i++) {
        const gjk_placed placed = {s->moved[i]->placed.shape, row->poses[i]};
        const gjk_participant moved = {s->moved[i], &placed};
        gjk_query_bounds query = gjk_query_bounds_of(GJK_QUERY_OVERLAP, &placed, s->tolerance);
        const gjk_bounds box = passed(row, i, s->tolerance);
        gjk_query_bounds_put_box(&query, &box);
        gjk_set_walk_aim(&row->walk, &query, 0.0);
        row_test_found(row, &moved, ask_motion);
        for (uint32_t j = i + 1; s->self && j < s->count && row->status == GJK_OK; j++) {
            const gjk_bounds other = passed(row, j, s->tolerance);
            if (gjk_budget_spend(row->walk.tree.budget, 64)) {
                row->status = GJK_GIVEN_UP;
                return;
            }
            if (bounds_meet(&box, &other) && !configuration_allows(c, s->moved[i], s->moved[j])) {
                const gjk_placed at = {s->moved[j]->placed.shape, row->poses[j]};
                const gjk_participant other_moved = {s->moved[j], &at};
                row_test(row, ask_motion, &moved, &other_moved);
            }
        }
    }
}
