/*
 * Rows of configurations. The tree finds for each moved body the others whose boxes meet its own
 * (or, for distances, that are nearer than the nearest pair so far); moved bodies are tried against
 * each other by their boxes, which are made once a row. The pair that spoke for the last row is
 * tried first: it is likely to speak again. Then nearly all others are passed over: by their ids,
 * which must be less to be of interest, moved bodies in the order of theirs; or by their distances,
 * by a bound along the line of their centres, which costs two supports.
 */

#include "scene/configurations.h"

#include "base/larger.h"
#include "gjk/sort.h"
#include "shape/support.h"

/* --- Who is who --- */

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

uint32_t gjk_configuration_index(const struct gjk_configurations *c, const gjk_body *body) {
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

bool gjk_configuration_allows(const struct gjk_configurations *c, const gjk_body *a,
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
        c->order[i] = gjk_configuration_index(c, by_id[i]);
    }
    gjk_set_iterator bodies = gjk_set_iterate(c->snapshot.set, arena->budget);
    for (const gjk_body *body; c->least_id == NULL && (body = gjk_set_next(&bodies)) != NULL;) {
        c->least_id = gjk_configuration_index(c, body) == UINT32_MAX ? body->id : NULL;
    }
    return gjk_budget_is_spent(arena->budget) ? GJK_GIVEN_UP : status;
}

static gjk_status sort_allowed(struct gjk_configurations *c, struct gjk_arena *arena) {
    for (uint32_t i = 0; i < c->settings.allowed_count; i++) {
        c->allowed[i] = pair_of(c->settings.allowed[i].a, c->settings.allowed[i].b);
    }
    return gjk_sort(arena, c->allowed, c->settings.allowed_count, sizeof *c->allowed,
                    compare_pairs);
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
    return status == GJK_OK ? sort_allowed(c, arena) : status;
}

/* --- One row --- */

bool gjk_row_is_less(const gjk_asked_row *row, const gjk_body *a, const gjk_body *b) {
    const gjk_configuration *than = row->out;
    const int first = a == than->a ? 0 : strcmp(a->id, than->a->id);
    return first != 0 ? first < 0 : strcmp(b->id, than->b->id) < 0;
}

/* Where a body stands in the row. */
static gjk_placed place(const gjk_asked_row *row, const gjk_body *body) {
    const uint32_t index = gjk_configuration_index(row->c, body);
    if (index == UINT32_MAX) {
        return gjk_snapshot_place(&row->c->snapshot, body);
    }
    return (gjk_placed){body->placed.shape, row->poses[index]};
}

static gjk_placed place_moved(const gjk_asked_row *row, uint32_t i) {
    return (gjk_placed){row->c->settings.moved[i]->placed.shape, row->poses[i]};
}

void gjk_row_test(gjk_asked_row *row, gjk_pair_test ask, const gjk_participant *p,
                  const gjk_participant *q) {
    const bool swapped = strcmp(p->body->id, q->body->id) > 0;
    if (row->status == GJK_OK && !ask(row, swapped ? q : p, swapped ? p : q)) {
        row->status = GJK_GIVEN_UP;
    }
}

static void begin(const struct gjk_configurations *c, const gjk_pose *poses, const gjk_pose *before,
                  gjk_budget *budget, gjk_asked_row *row, gjk_configuration *out) {
    out->colliding = false;
    out->a = out->b = NULL;
    out->fraction = 1.0;
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

void gjk_row_test_found(gjk_asked_row *row, const gjk_participant *moved, gjk_pair_test ask) {
    const struct gjk_configurations *c = row->c;
    gjk_leaf leaf;
    while (row->status == GJK_OK && gjk_set_walk_next(&row->walk, &leaf)) {
        if (gjk_configuration_index(c, leaf.body) == UINT32_MAX &&
            !gjk_configuration_allows(c, moved->body, leaf.body)) {
            gjk_placed room;
            const gjk_participant found = {leaf.body, gjk_leaf_place(&c->snapshot, &leaf, &room)};
            gjk_row_test(row, ask, moved, &found);
        }
    }
    if (gjk_budget_is_spent(row->walk.tree.budget)) {
        row->status = GJK_GIVEN_UP;
    }
}

static void test_hint(gjk_asked_row *row, const gjk_configuration_hint *hint, gjk_pair_test ask) {
    if (hint->a != NULL) {
        const gjk_placed a = place(row, hint->a), b = place(row, hint->b);
        const gjk_participant p = {hint->a, &a}, q = {hint->b, &b};
        gjk_row_test(row, ask, &p, &q);
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
    if (out->colliding && !gjk_row_is_less(row, a->body, b->body)) {
        return true;
    }
    const gjk_detect_result result = gjk_detect(a->placed, b->placed, &row->detect);
    if (result.state != GJK_SEPARATED && !result.given_up) {
        out->colliding = true;
        out->a = a->body;
        out->b = b->body;
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

/* Is no pair of this moved body, or of those behind it by their ids, less than the one found? */
static bool is_settled(const gjk_asked_row *row, const gjk_body *moved) {
    const gjk_configuration *out = row->out;
    const char *least = row->c->least_id;
    return out->colliding && strcmp(moved->id, out->a->id) > 0 &&
           (least == NULL || strcmp(least, out->a->id) > 0);
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
        if (is_settled(row, moved.body)) {
            return;
        }
        const gjk_query_bounds *box = box_of(row, i, &room);
        gjk_set_walk_aim(&row->walk, box, 0.0);
        gjk_row_test_found(row, &moved, ask_collision);
        for (uint32_t l = k + 1; s->self && l < s->count && go_on(row, l); l++) {
            const uint32_t j = c->order[l];
            if (boxes_meet(box, box_of(row, j, &other_room)) &&
                !gjk_configuration_allows(c, s->moved[i], s->moved[j])) {
                const gjk_placed at = place_moved(row, j);
                const gjk_participant other = {s->moved[j], &at};
                gjk_row_test(row, ask_collision, &moved, &other);
            }
        }
    }
}

/* --- How near is the nearest? --- */

/* How far a shape reaches along a direction of the world, from its own origin's place. */
static double reach_along(const gjk_placed *placed, gjk_vec3 direction) {
    const gjk_vec3 own = gjk_mul3_transposed(&placed->pose.rotation, direction);
    gjk_vec3 point;
    if (placed->shape->dimension == 2) {
        const gjk_vec2 flat = gjk_support_of2(placed->shape, gjk_xy(own));
        return own.x * flat.x + own.y * flat.y + placed->shape->radius;
    }
    gjk_support_of3(placed->shape, own.x, own.y, own.z, &point);
    return gjk_dot3(own, point) + placed->shape->radius;
}

static bool is_plain(const gjk_placed *placed) {
    return placed->shape->count > 0 && !placed->shape->is_far && placed->pose.form != GJK_POSE_REST;
}

/*
 * A lower bound of the signed distance of two polytopes: the gap along the line of their centres,
 * less what the roundings may come to. -INFINITY where that is not known.
 */
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

static bool is_exact(const gjk_asked_row *row, const gjk_placed *p, const gjk_placed *q) {
    return row->c->settings.max_iterations >= GJK_ITERATIONS_DEFAULT &&
           p->shape->count + q->shape->count <= EXACT_POINTS_MAX;
}

/* Is the pair surely farther than the nearest so far? */
static bool is_too_far(const gjk_asked_row *row, const gjk_placed *p, const gjk_placed *q) {
    return (row->bound >= 0.0 || is_exact(row, p, q)) && gap_between(p, q) > row->bound;
}

static bool ask_distance(gjk_asked_row *row, const gjk_participant *a, const gjk_participant *b) {
    gjk_configuration *out = row->out;
    const bool is_known = out->a == a->body && out->b == b->body;
    if (is_known || is_too_far(row, a->placed, b->placed)) {
        return true;
    }
    const gjk_distance_result result = gjk_distance(a->placed, b->placed, &row->distance);
    if (result.given_up) {
        return false;
    }
    const double found = result.signed_distance;
    if (found > row->bound ||
        (out->a != NULL && found == row->bound && !gjk_row_is_less(row, a->body, b->body))) {
        return true;
    }
    out->a = a->body;
    out->b = b->body;
    out->result = result;
    row->bound = found;
    gjk_tree_walk_narrow(&row->walk.tree, gjk_larger(found, 0.0));
    return true;
}

/* Are two boxes apart by more than the bound? */
static bool boxes_are_apart(const gjk_query_bounds *p, const gjk_query_bounds *q, double bound) {
    double squared = 0.0;
    for (uint32_t axis = 0; axis < p->dimension; axis++) {
        const double gap =
            gjk_larger(gjk_larger(p->min[axis] - q->max[axis], q->min[axis] - p->max[axis]), 0.0);
        squared += gap * gap;
    }
    return squared > bound * bound * (1.0 + 0x1p-48);
}

static void find_nearest(gjk_asked_row *row, const gjk_configuration_hint *hint) {
    const struct gjk_configurations *c = row->c;
    const gjk_configuration_settings *s = &c->settings;
    gjk_configuration *out = row->out;
    row->bound = s->threshold;
    test_hint(row, hint, ask_distance);
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
                !gjk_configuration_allows(c, s->moved[i], s->moved[j])) {
                const gjk_placed at = place_moved(row, j);
                const gjk_participant other = {s->moved[j], &at};
                gjk_row_test(row, ask_distance, &moved, &other);
            }
        }
        gjk_set_walk_aim(&row->walk, box, gjk_larger(row->bound, 0.0));
        gjk_row_test_found(row, &moved, ask_distance);
    }
    if (out->a != NULL && row->status == GJK_OK) {
        out->colliding = out->result.state != GJK_SEPARATED;
        if (out->result.distance == 0.0) {
            out->result.lower_bound = out->result.signed_distance;
        }
    }
}

/* --- Motions --- */

/* Looks for collisions at the start, on the way and at the end, in this order. */
static gjk_status follow(const struct gjk_configurations *c, const gjk_pose *poses,
                         const gjk_pose *before, gjk_budget *budget, gjk_configuration_hint *hint,
                         gjk_configuration *out) {
    gjk_asked_row row;
    begin(c, before, NULL, budget, &row, out);
    find_collision(&row, hint);
    if (row.status != GJK_OK || out->colliding) {
        out->fraction = out->colliding ? 0.0 : 1.0;
        return row.status;
    }
    begin(c, poses, before, budget, &row, out);
    gjk_row_find_contact(&row);
    if (row.status != GJK_OK || out->colliding) {
        return row.status;
    }
    begin(c, poses, NULL, budget, &row, out);
    find_collision(&row, hint);
    return row.status;
}

gjk_status gjk_configuration_ask(const struct gjk_configurations *configurations,
                                 const gjk_pose *poses, const gjk_pose *before, gjk_budget *budget,
                                 gjk_configuration_hint *hint, gjk_configuration *out) {
    const gjk_configuration_settings *s = &configurations->settings;
    gjk_status status = GJK_OK;
    gjk_asked_row asked;
    begin(configurations, poses, NULL, budget, &asked, out);
    if (before != NULL) {
        status = follow(configurations, poses, before, budget, hint, out);
    } else if (!s->distance) {
        find_collision(&asked, hint);
        status = asked.status;
        out->fraction = out->colliding ? 0.0 : 1.0;
    }
    if (s->distance && out->colliding && status == GJK_OK) {
        const gjk_placed p = place(&asked, out->a), q = place(&asked, out->b);
        out->result = gjk_distance(&p, &q, &asked.distance);
        status = out->result.given_up ? GJK_GIVEN_UP : GJK_OK;
        if (out->result.distance == 0.0) {
            out->result.lower_bound = out->result.signed_distance;
        }
    } else if (s->distance && status == GJK_OK) {
        find_nearest(&asked, hint);
        status = asked.status;
        out->fraction = out->colliding ? 0.0 : 1.0;
    }
    if (out->a != NULL) {
        *hint = (gjk_configuration_hint){out->a, out->b};
    }
    return status;
}
