/*
 * Queries of rows of configurations; a row gives the poses of the moved bodies. For each moved body
 * the tree finds the others whose boxes meet its own (for distances: those within the smallest
 * distance so far). Pairs of moved bodies are tested by boxes that are made once per row. The
 * answer of the last row is tested first, since it is likely to be the answer again; it then
 * excludes most other pairs. For collisions, only pairs with smaller ids remain, and moved bodies
 * are visited in the order of ids. For distances, a lower bound along the line of centers excludes
 * a pair for the cost of two support points. If several nearest pairs are asked for, the worst one
 * kept limits the search.
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

#include <stdlib.h>

typedef struct gjk_body_pair {
    const gjk_body *a, *b; /* in the order of addresses */
} gjk_body_pair;

/* A moved body, and its index in the settings. */
typedef struct gjk_moved {
    const gjk_body *body;
    uint32_t index;
} gjk_moved;

struct gjk_configurations {
    gjk_snapshot snapshot;
    gjk_configuration_settings settings;
    gjk_filter filter;
    gjk_detect_settings detect;
    gjk_distance_settings distance;
    gjk_moved *by_address, *by_id;
    const char *least_id;   /* smallest id of bodies that are not moved; NULL: none */
    gjk_body_pair *allowed; /* sorted */
};

/* State of the query of one row. Set member by member, because it is large. */
typedef struct gjk_asked_row {
    const struct gjk_configurations *c;
    const gjk_pose *poses, *before;
    gjk_configuration *out;
    gjk_query_bounds_kind kind; /* NEAR: pairs are tested for their distances */
    double bound;               /* only pairs within this signed distance matter */
    gjk_list nearest;           /* gjk_pair_near, if several pairs are asked for */
    uint32_t limit;
    gjk_status status;
    gjk_selection selection;
    gjk_detect_settings detect; /* the settings, with the budget */
    gjk_distance_settings distance;
    gjk_budget *budget;
    gjk_set_walk walk;
    gjk_query_bounds boxes[GJK_ROW_BOXES]; /* of moved bodies, by index */
} gjk_asked_row;

/* A body, and where it is placed in the row. */
typedef struct gjk_participant {
    const gjk_body *body;
    const gjk_placed *placed;
} gjk_participant;

/* Tests a pair; a has the smaller id. Returns false if the budget is spent. */
typedef bool (*gjk_pair_test)(gjk_asked_row *row, const gjk_participant *a,
                              const gjk_participant *b);

/* --- Finding the bodies --- */

static int compare_addresses(const void *a, const void *b) {
    const uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;
    return p < q ? -1 : p > q;
}

static int by_address(const void *a, const void *b) {
    return compare_addresses(((const gjk_moved *)a)->body, ((const gjk_moved *)b)->body);
}

static int by_id(const void *a, const void *b) {
    return strcmp(((const gjk_moved *)a)->body->id, ((const gjk_moved *)b)->body->id);
}

static int compare_pairs(const void *a, const void *b) {
    const gjk_body_pair *p = a, *q = b;
    const int first = compare_addresses(p->a, q->a);
    return first != 0 ? first : compare_addresses(p->b, q->b);
}

static gjk_body_pair pair_of(const gjk_body *a, const gjk_body *b) {
    return compare_addresses(a, b) < 0 ? (gjk_body_pair){a, b} : (gjk_body_pair){b, a};
}

/* Returns the index of a moved body, or UINT32_MAX. */
static uint32_t configuration_index(const struct gjk_configurations *c, const gjk_body *body) {
    const gjk_moved *found = bsearch(&(gjk_moved){.body = body}, c->by_address, c->settings.count,
                                     sizeof *c->by_address, by_address);
    return found != NULL ? found->index : UINT32_MAX;
}

static bool configuration_allows(const struct gjk_configurations *c, const gjk_body *a,
                                 const gjk_body *b) {
    const gjk_body_pair pair = pair_of(a, b);
    return bsearch(&pair, c->allowed, c->settings.allowed_count, sizeof pair, compare_pairs) !=
           NULL;
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
    c->by_address = gjk_arena_alloc_array(arena, count, sizeof *c->by_address);
    c->by_id = gjk_arena_alloc_array(arena, count, sizeof *c->by_id);
    c->allowed = gjk_arena_alloc_array(arena, settings->allowed_count, sizeof *c->allowed);
    if (c->by_address == NULL || c->by_id == NULL || c->allowed == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    *out = c;
    for (uint32_t i = 0; i < count; i++) {
        c->by_address[i] = c->by_id[i] = (gjk_moved){settings->moved[i], i};
    }
    for (uint32_t i = 0; i < settings->allowed_count; i++) {
        c->allowed[i] = pair_of(settings->allowed[i].a, settings->allowed[i].b);
    }
    gjk_status status = gjk_sort(arena, c->by_address, count, sizeof *c->by_address, by_address);
    status = status == GJK_OK ? gjk_sort(arena, c->by_id, count, sizeof *c->by_id, by_id) : status;
    status = status == GJK_OK ? gjk_sort(arena, c->allowed, settings->allowed_count,
                                         sizeof *c->allowed, compare_pairs)
                              : status;
    gjk_set_iterator bodies = gjk_set_iterate(snapshot->set, arena->budget);
    for (const gjk_body *body; c->least_id == NULL && (body = gjk_set_next(&bodies)) != NULL;) {
        c->least_id = configuration_index(c, body) == UINT32_MAX ? body->id : NULL;
    }
    return gjk_budget_is_spent(arena->budget) ? GJK_GIVEN_UP : status;
}

/* --- One row --- */

/* Returns true if a pair precedes the row's answer in the order of ids. */
static bool row_is_less(const gjk_asked_row *row, const gjk_body *a, const gjk_body *b) {
    const gjk_configuration *than = row->out;
    const int first = a == than->a ? 0 : strcmp(a->id, than->a->id);
    return first != 0 ? first < 0 : strcmp(b->id, than->b->id) < 0;
}

/* Returns where a body is placed in the row. */
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

/* Tests a pair, with its bodies in the order of ids. */
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
    row->kind = GJK_QUERY_OVERLAP;
    row->bound = INFINITY;
    row->detect = c->detect;
    row->distance = c->distance;
    row->budget = row->detect.budget = row->distance.budget = budget;
    row->status = GJK_OK;
    gjk_set_walk_init(&row->walk, &c->snapshot, &row->selection);
}

/* Tests a moved body with the unmoved bodies that the walk finds. Precondition: the walk is
 * aimed. */
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
    if (gjk_budget_is_spent(row->budget)) {
        row->status = GJK_GIVEN_UP;
    }
}

/* Returns a box that encloses moved body i all along its motion. */
static gjk_bounds motion_box(const gjk_asked_row *row, uint32_t i, double tolerance) {
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

static void make_box(const gjk_asked_row *row, uint32_t i, gjk_query_bounds *out) {
    const gjk_placed placed = place_moved(row, i);
    const double tolerance = row->c->settings.tolerance;
    *out = gjk_query_bounds_of(row->kind, &placed, tolerance);
    if (row->before != NULL) {
        const gjk_bounds box = motion_box(row, i, tolerance);
        gjk_query_bounds_put_box(out, &box);
    }
}

static const gjk_query_bounds *box_of(const gjk_asked_row *row, uint32_t i,
                                      gjk_query_bounds *room) {
    if (i < GJK_ROW_BOXES) {
        return &row->boxes[i];
    }
    make_box(row, i, room);
    return room;
}

/* Returns true if two boxes are farther apart than the bound. */
static bool boxes_are_apart(const gjk_query_bounds *p, const gjk_query_bounds *q, double bound) {
    const double most = bound * bound * (1.0 + 0x1p-48);
    double squared = 0.0;
    for (uint32_t axis = 0; axis < p->dimension && squared <= most; axis++) {
        const double gap =
            gjk_larger(gjk_larger(p->min[axis] - q->max[axis], q->min[axis] - p->max[axis]), 0.0);
        squared += gap * gap;
    }
    return squared > most;
}

/* Returns the distance of boxes up to which their pair is tested. Results of tests lower it. */
static double reach_of(const gjk_asked_row *row) {
    return row->kind == GJK_QUERY_NEAR ? gjk_larger(row->bound, 0.0) : 0.0;
}

/* Tests the k-th moved body by id with those after it. */
static void test_moved(gjk_asked_row *row, const gjk_participant *moved, uint32_t k,
                       const gjk_query_bounds *box, gjk_pair_test ask) {
    const struct gjk_configurations *c = row->c;
    for (uint32_t l = k + 1; l < c->settings.count && row->status == GJK_OK; l++) {
        const gjk_moved *with = &c->by_id[l];
        gjk_query_bounds room;
        if (gjk_budget_spend(row->budget, with->index < GJK_ROW_BOXES ? 2 : 32)) {
            row->status = GJK_GIVEN_UP;
        } else if (!boxes_are_apart(box, box_of(row, with->index, &room), reach_of(row)) &&
                   !configuration_allows(c, moved->body, with->body)) {
            const gjk_placed at = place_moved(row, with->index);
            const gjk_participant other = {with->body, &at};
            row_test(row, ask, moved, &other);
        }
    }
}

static bool ask_collision(gjk_asked_row *row, const gjk_participant *a, const gjk_participant *b);

/* Returns true if no pair of this moved body, or of those after it by id, can precede the collision
 * already found. */
static bool is_settled(const gjk_asked_row *row, const gjk_body *moved) {
    const gjk_configuration *found = row->out;
    const char *least = row->c->least_id;
    return found->colliding && strcmp(moved->id, found->a->id) > 0 &&
           (least == NULL || strcmp(least, found->a->id) > 0);
}

/* Tests the pair of the hint (NULL: none), then all pairs whose boxes are within reach. */
static void row_test_all(gjk_asked_row *row, const gjk_configuration_hint *hint,
                         gjk_pair_test ask) {
    const struct gjk_configurations *c = row->c;
    if (hint != NULL && hint->a != NULL) {
        const gjk_placed a = place_in_row(row, hint->a), b = place_in_row(row, hint->b);
        const gjk_participant p = {hint->a, &a}, q = {hint->b, &b};
        row_test(row, ask, &p, &q);
    }
    for (uint32_t i = 0; i < c->settings.count && i < GJK_ROW_BOXES; i++) {
        make_box(row, i, &row->boxes[i]);
    }
    for (uint32_t k = 0; k < c->settings.count && row->status == GJK_OK; k++) {
        const gjk_moved *at = &c->by_id[k];
        const gjk_placed placed = place_moved(row, at->index);
        const gjk_participant moved = {at->body, &placed};
        gjk_query_bounds room;
        if (ask == ask_collision && is_settled(row, at->body)) {
            return;
        }
        const gjk_query_bounds *box = box_of(row, at->index, &room);
        if (c->settings.self) {
            test_moved(row, &moved, k, box, ask);
        }
        gjk_set_walk_aim(&row->walk, box, reach_of(row));
        row_test_found(row, &moved, ask);
    }
}

/* --- Collisions --- */

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

/* --- Distances --- */

static bool is_plain(const gjk_placed *placed) {
    return placed->shape->count > 0 && !placed->shape->is_far && placed->pose.form != GJK_POSE_REST;
}

/* Returns a lower bound of the signed distance of two polytopes: their gap along the line of
 * centers, less the rounding error. Returns -INFINITY if there is no bound. */
static double gap_between(const gjk_placed *p, const gjk_placed *q) {
    const gjk_vec3 way = gjk_sub3(gjk_pose_apply(&q->pose, q->shape->center),
                                  gjk_pose_apply(&p->pose, p->shape->center));
    const double length = gjk_length3(way);
    if (!is_plain(p) || !is_plain(q) || !(length > 0.0) || !(length < GJK_COORDINATE_MAX)) {
        return -INFINITY;
    }
    const gjk_vec3 d = gjk_scale3(1.0 / length, way), from = p->pose.position;
    return -gjk_reach_along(p, d, from) - gjk_reach_along(q, gjk_neg3(d), from) -
           0x1p-44 * (gjk_largest3(p->pose.position) + gjk_largest3(q->pose.position) + length +
                      p->shape->reach + q->shape->reach);
}

/* Maximum number of points of both polytopes for which the default iterations give exact depths. */
#define EXACT_POINTS_MAX 128

/* Returns true if a lower bound proves that the pair is farther apart than row->bound. A negative
 * bound requires exact depths. */
static bool is_farther(const gjk_asked_row *row, const gjk_participant *a,
                       const gjk_participant *b) {
    const bool is_exact = row->c->settings.max_iterations >= GJK_ITERATIONS_DEFAULT &&
                          a->placed->shape->count + b->placed->shape->count <= EXACT_POINTS_MAX;
    return (row->bound >= 0.0 || is_exact) && gap_between(a->placed, b->placed) > row->bound;
}

/* Lowers the bound. The pair of the hint is tested before the walk is aimed. */
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
    if (found > row->bound || found == INFINITY ||
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
    const double found = pair.result.signed_distance;
    if (pair.result.given_up || found > row->bound || found == INFINITY) {
        return !pair.result.given_up;
    }
    if (!gjk_list_offer(nearest, row->limit, gjk_pairs_by_signed_distance, &pair)) {
        row->status = GJK_OUT_OF_MEMORY;
    } else if (nearest->count == row->limit && nearest->truncated) {
        narrow(row, ((const gjk_pair_near *)(void *)nearest->items)->result.signed_distance);
    }
    return true;
}

/* Converts the result of a pair to the form of an answer: the normal points away from the moved
 * body. */
static void orient_result(const struct gjk_configurations *c, const gjk_body *a,
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
    row.kind = GJK_QUERY_NEAR;
    row.bound = configurations->settings.threshold;
    row.nearest = gjk_list_make(arena, sizeof(gjk_pair_near));
    row.limit = limit;
    row_test_all(&row, NULL, ask_nearest);
    if (row.status == GJK_OK) {
        row.status = gjk_list_sort(&row.nearest, gjk_pairs_by_signed_distance);
    }
    *out = (gjk_pair_nears){(gjk_pair_near *)(void *)row.nearest.items, row.nearest.count,
                            row.nearest.truncated};
    for (uint32_t i = 0; i < out->count; i++) {
        orient_result(configurations, out->items[i].a, &out->items[i].result);
    }
    return row.status;
}

/* --- Motions --- */

static bool ask_motion(gjk_asked_row *row, const gjk_participant *p, const gjk_participant *q);

/* Finds a collision at `poses` or, if `before` is not NULL, the first one on the way from there. */
static gjk_status find_collision(const struct gjk_configurations *c, const gjk_pose *poses,
                                 const gjk_pose *before, gjk_budget *budget,
                                 const gjk_configuration_hint *hint, gjk_configuration *out) {
    gjk_asked_row row;
    begin_row(c, poses, before, budget, &row, out);
    if (before != NULL) {
        row_test_all(&row, NULL, ask_motion);
    } else {
        row_test_all(&row, hint, ask_collision);
    }
    return row.status;
}

/* Finds a collision at the start, on the way or at the end, in this order. */
static gjk_status follow(const struct gjk_configurations *c, const gjk_pose *poses,
                         const gjk_pose *before, gjk_budget *budget,
                         const gjk_configuration_hint *hint, gjk_configuration *out) {
    gjk_status status = find_collision(c, before, NULL, budget, hint, out);
    if (out->colliding) {
        out->fraction = 0.0;
        return status;
    }
    if (status == GJK_OK) {
        status = find_collision(c, poses, before, budget, NULL, out);
    }
    if (status == GJK_OK && !out->colliding) {
        status = find_collision(c, poses, NULL, budget, hint, out);
    }
    return status;
}

gjk_status gjk_configuration_ask(const struct gjk_configurations *configurations,
                                 const gjk_pose *poses, const gjk_pose *before, gjk_budget *budget,
                                 gjk_configuration_hint *hint, gjk_configuration *out) {
    const gjk_configuration_settings *s = &configurations->settings;
    gjk_asked_row row;
    gjk_status status = GJK_OK;
    begin_row(configurations, poses, NULL, budget, &row, out);
    if (before != NULL) {
        status = follow(configurations, poses, before, budget, hint, out);
    } else if (!s->distance) {
        row_test_all(&row, hint, ask_collision);
        status = row.status;
        out->fraction = out->colliding ? 0.0 : 1.0;
    }
    if (s->distance && out->colliding && status == GJK_OK) {
        const gjk_placed p = place_in_row(&row, out->a), q = place_in_row(&row, out->b);
        out->result = gjk_distance(&p, &q, &row.distance);
        status = out->result.given_up ? GJK_GIVEN_UP : GJK_OK;
    } else if (s->distance && status == GJK_OK) {
        row.kind = GJK_QUERY_NEAR;
        row.bound = s->threshold;
        row_test_all(&row, hint, ask_distance);
        out->colliding = out->a != NULL && out->result.state != GJK_SEPARATED;
        status = row.status;
        out->fraction = out->colliding ? 0.0 : 1.0;
    }
    if (out->a != NULL) {
        *hint = (gjk_configuration_hint){out->a, out->b};
        if (s->distance && status == GJK_OK) {
            orient_result(configurations, out->a, &out->result);
        }
    }
    return status;
}

/* Motions from row to row: each pair is advanced up to the first contact found so far
 * (ray/casts/advance.c), which does not change the bits of its own contact: the order of the pairs
 * does not matter. The box of a moved body encloses its whole motion. */

/* Steps charged for the motion of one pair of convex parts. */
#define MOTION_STEPS 128

/* A body of a pair at its start, with its motion. */
typedef struct traveller {
    gjk_placed from;
    gjk_rigid_motion motion;
    bool rests;
} traveller;

/* Search for the first contact of two travellers, piece by piece. */
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
    const gjk_meeting meeting = gjk_advance(&a, &b, 1.0, e->bound, &e->settings);
    if (meeting.hit && (!e->hit || meeting.fraction < e->bound)) {
        e->hit = true;
        e->bound = meeting.fraction;
    }
}

/* Advances a part of a against the pieces of b near its path. Precondition: b rests. */
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
            gjk_piece_make_own(pieces, gjk_slot_piece(&pieces->tree, slot), &piece);
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
    if (gjk_budget_spend(row->budget, MOTION_STEPS)) {
        return false;
    }
    encounter e = {
        .a = find_traveller(row, a),
        .b = find_traveller(row, b),
        .settings = {.tolerance = s->tolerance,
                     .max_iterations = s->max_iterations,
                     .budget = row->budget},
        .budget = row->budget,
        .bound = out->colliding ? out->fraction : 1.0,
    };
    if (e.a.rests) { /* the resting body becomes b, whose pieces are found by their tree */
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
