/*
 * Touches of a moving shape. The free direction is the projection onto a polyhedral cone, found by
 * trying all of its faces and edges, which are few.
 */

#include "scene/touches.h"

#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "scene/scene.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"

/* Tolerance for pointing into a touch, relative to a vector's length. */
#define INWARD 1e-9
/* Relative length below which a vector counts as zero. */
#define ZERO_LENGTH 1e-9
/* Sine of the angle below which two planes have no crease. */
#define PARALLEL 1e-6
/* Steps charged per pair, in addition to those of its query. */
#define PAIR_STEPS 16

/* --- Finding --- */

typedef struct touch_search {
    gjk_piece_visitor visitor; /* first member: cast back to touch_search */
    gjk_distance_settings settings;
    const gjk_body *body;
    const gjk_placed *whole; /* the body's placed shape */
    gjk_list found;          /* gjk_touch */
    double reach;
    bool is_out_of_memory;
} touch_search;

/* Returns true if the touch is on the back of a one-sided face. */
static bool is_behind(const gjk_placed *whole, uint32_t piece, gjk_vec3 normal) {
    gjk_vec3 corners[3];
    if (piece == GJK_NO_PIECE || !whole->shape->pieces->one_sided) {
        return false;
    }
    gjk_pieces_triangle(whole->shape->pieces, piece, corners);
    const gjk_vec3 face =
        gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
    return gjk_dot3(gjk_mul3(&whole->pose.rotation, face), normal) < 0.0;
}

/* Adds the touch of a pair at a given distance, if it is within reach. Returns false if memory is
 * exhausted. */
static bool add_touch(touch_search *search, const gjk_piece_pair *pair,
                      const gjk_distance_result *apart) {
    if (!(apart->signed_distance <= search->reach) || !apart->has_points ||
        is_behind(search->whole, pair->piece_a, apart->normal)) {
        return true;
    }
    const gjk_touch touch = {.body = search->body,
                             .piece = pair->piece_a,
                             .moving_piece = pair->piece_b,
                             .gap = apart->signed_distance,
                             .normal = gjk_no_minus_zero3(apart->normal),
                             .point = apart->point_a};
    search->is_out_of_memory = !gjk_list_add(&search->found, &touch);
    return !search->is_out_of_memory;
}

static bool visit_touch(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    touch_search *search = (touch_search *)visitor;
    const gjk_distance_result apart = gjk_distance(pair->a, pair->b, &search->settings);
    return add_touch(search, pair, &apart);
}

/* Finds touches in the whole set. */
static void search_set(touch_search *search, const gjk_snapshot *snapshot, const gjk_placed *moving,
                       const gjk_selection *selection) {
    const gjk_query_bounds query =
        gjk_query_bounds_of(GJK_QUERY_NEAR, moving, search->settings.tolerance);
    gjk_set_walk walk;
    gjk_leaf leaf;
    gjk_set_walk_init(&walk, snapshot, selection);
    gjk_set_walk_aim(&walk, &query, search->reach);
    while (!search->is_out_of_memory && gjk_set_walk_next(&walk, &leaf)) {
        gjk_placed room;
        search->body = leaf.body;
        search->whole = gjk_leaf_place(snapshot, &leaf, &room);
        gjk_visit_piece_pairs(search->whole, moving, &search->visitor);
    }
}

/* Finds touches among the cached items. */
static void search_nearby(touch_search *search, gjk_nearby *nearby, const gjk_placed *moving) {
    gjk_budget *budget = search->settings.budget;
    (void)gjk_budget_spend(budget, nearby->count);
    for (uint32_t i = 0; i < nearby->count && !search->is_out_of_memory; i++) {
        const gjk_placed *near = gjk_nearby_look(nearby, i, moving, search->reach);
        if (near == NULL) {
            continue;
        }
        if (gjk_budget_spend(budget, PAIR_STEPS)) {
            return;
        }
        const gjk_distance_result apart = gjk_distance(near, moving, &search->settings);
        const gjk_piece_pair pair = {near, moving, nearby->items[i].index, GJK_NO_PIECE};
        search->body = nearby->items[i].body;
        search->whole = &nearby->items[i].whole;
        (void)add_touch(search, &pair, &apart);
        gjk_nearby_note(nearby, i, moving, &apart);
    }
}

static int nearest_first(const void *p, const void *q) {
    const gjk_touch *a = p, *b = q;
    int order = GJK_COMPARE(a->gap, b->gap);
    order = order != 0 ? order : strcmp(a->body->id, b->body->id);
    order = order != 0 ? order : GJK_COMPARE(a->piece, b->piece);
    return order != 0 ? order : GJK_COMPARE(a->moving_piece, b->moving_piece);
}

/* Keeps a touch, unless the normal of a kept one also separates its two shapes. */
static void keep(const gjk_snapshot *snapshot, const gjk_placed *moving, const gjk_touch *touch,
                 double tolerance, gjk_touches *out) {
    gjk_piece a, b;
    if (out->count == 0) {
        out->items[out->count++] = *touch;
        return;
    }
    const gjk_placed whole = gjk_snapshot_place(snapshot, touch->body);
    gjk_part_make(&whole, touch->piece, &a);
    gjk_part_make(moving, touch->moving_piece, &b);
    const gjk_vec3 from = b.placed.pose.position;
    for (uint32_t i = 0; i < out->count; i++) {
        const gjk_vec3 n = out->items[i].normal;
        const double gap =
            -gjk_reach_along(&b.placed, gjk_neg3(n), from) - gjk_reach_along(&a.placed, n, from);
        if (gap >= gjk_smaller(out->items[i].gap, 0.0) - tolerance) {
            return;
        }
    }
    if (out->count < GJK_TOUCHES_MAX) {
        out->items[out->count++] = *touch;
    }
}

gjk_status gjk_touches_find(const gjk_snapshot *snapshot, const gjk_placed *moving, double reach,
                            const gjk_selection *selection, const gjk_distance_settings *settings,
                            gjk_nearby *nearby, gjk_touches *out) {
    const gjk_arena_mark mark = gjk_arena_here(selection->arena);
    touch_search search = {
        .visitor = {.visit = visit_touch,
                    .bound = reach,
                    .tolerance = settings->tolerance,
                    .budget = selection->budget},
        .settings = *settings,
        .found = gjk_list_make(selection->arena, sizeof(gjk_touch)),
        .reach = reach,
    };
    search.settings.is_signed = true;
    search.settings.budget = selection->budget;
    out->count = 0;
    if (moving->shape->pieces == NULL &&
        gjk_nearby_keep(nearby, snapshot, moving, reach, selection, settings->tolerance)) {
        search_nearby(&search, nearby, moving);
    } else {
        search_set(&search, snapshot, moving, selection);
    }
    gjk_status status = search.is_out_of_memory                  ? GJK_OUT_OF_MEMORY
                        : gjk_budget_is_spent(selection->budget) ? GJK_GIVEN_UP
                                                                 : GJK_OK;
    if (status == GJK_OK) {
        status = gjk_list_sort(&search.found, nearest_first);
    }
    const gjk_touch *found = (const gjk_touch *)(const void *)search.found.items;
    for (uint32_t i = 0; status == GJK_OK && i < search.found.count; i++) {
        if (gjk_budget_spend(selection->budget, GJK_TOUCHES_MAX)) {
            status = GJK_GIVEN_UP;
        }
        keep(snapshot, moving, &found[i], 2.0 * settings->tolerance * moving->shape->size, out);
    }
    gjk_arena_rewind(selection->arena, mark);
    return status;
}

/* --- Turning --- */

bool gjk_is_floor(const gjk_upright *upright, gjk_vec3 normal) {
    return upright->has_up && gjk_dot3(upright->up, normal) >= upright->least_floor;
}

/* A convex cone of directions: those with v . n >= 0 for each plane normal n. */
typedef struct cone {
    gjk_vec3 planes[2 * GJK_TOUCHES_MAX];
    uint32_t count;
    gjk_vec3 wish, best;
    double best_square; /* square of its distance to the wish */
} cone;

static bool is_free(const cone *c, gjk_vec3 v) {
    const double least = -INWARD * gjk_length3(v);
    for (uint32_t i = 0; i < c->count; i++) {
        if (gjk_dot3(c->planes[i], v) < least) {
            return false;
        }
    }
    return true;
}

static void consider(cone *c, gjk_vec3 v) {
    const gjk_vec3 off = gjk_sub3(c->wish, v);
    const double square = gjk_dot3(off, off);
    if (square < c->best_square && is_free(c, v)) {
        c->best = v;
        c->best_square = square;
    }
}

/* Returns the vector of the cone nearest to the wish. */
static gjk_vec3 project(cone *c, gjk_vec3 wish, bool has_creases) {
    c->wish = wish;
    c->best = (gjk_vec3){0, 0, 0};
    c->best_square = gjk_dot3(wish, wish);
    if (is_free(c, wish)) {
        return wish;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const gjk_vec3 n = c->planes[i];
        consider(c, gjk_sub3(wish, gjk_scale3(gjk_dot3(wish, n), n)));
        for (uint32_t k = i + 1; has_creases && k < c->count; k++) {
            const gjk_vec3 along = gjk_cross3(n, c->planes[k]);
            const double length = gjk_length3(along);
            if (length > PARALLEL) {
                const gjk_vec3 crease = gjk_scale3(1.0 / length, along);
                consider(c, gjk_scale3(gjk_dot3(wish, crease), crease));
            }
        }
    }
    return gjk_length3(c->best) > ZERO_LENGTH * gjk_length3(wish) ? c->best : (gjk_vec3){0, 0, 0};
}

static gjk_vec3 level_part(gjk_vec3 v, gjk_vec3 up) {
    return gjk_sub3(v, gjk_scale3(gjk_dot3(v, up), up));
}

/* Returns the horizontal part of a wish, turned along a floor, with its length kept. */
static gjk_vec3 walk_along(gjk_vec3 level, gjk_vec3 normal) {
    const gjk_vec3 along = gjk_sub3(level, gjk_scale3(gjk_dot3(level, normal), normal));
    const double length = gjk_length3(along), wanted = gjk_length3(level);
    return length > ZERO_LENGTH * wanted ? gjk_scale3(wanted / length, along) : (gjk_vec3){0, 0, 0};
}

/*
 * Adds the constraints of a wall. Motion into the wall is forbidden, and a wall that leans back
 * must not lift the body. If the wish rises into the wall, or a floor carries the body, motion
 * against the horizontal part of the wall's normal is forbidden: the body may rise by itself or
 * along the floor, but not along the wall. Otherwise, a wish that does not rise must not begin to
 * rise.
 */
static void add_wall(cone *c, const gjk_upright *upright, gjk_vec3 normal, gjk_vec3 wish,
                     bool on_floor) {
    const double leaning = gjk_dot3(normal, upright->up), rise = gjk_dot3(wish, upright->up);
    const gjk_vec3 level = level_part(normal, upright->up);
    const double length = gjk_length3(level);
    const bool leads_in = gjk_dot3(normal, wish) < -INWARD * gjk_length3(wish);
    c->planes[c->count++] = normal;
    if (leaning > 0.0 && length > PARALLEL && (rise > 0.0 ? leads_in : on_floor)) {
        c->planes[c->count++] = gjk_scale3(1.0 / length, level);
    } else if (leaning > 0.0 && rise <= 0.0) {
        c->planes[c->count++] = gjk_neg3(upright->up);
    }
}

/* Removes, from a rising vector, horizontal motion into walls that lean back: as much as the rise
 * along the wall requires. The rise is kept. */
static gjk_vec3 keep_off_walls(const gjk_touches *touches, const gjk_upright *upright, gjk_vec3 v) {
    for (uint32_t i = 0; i < touches->count && gjk_dot3(v, upright->up) > 0.0; i++) {
        const gjk_vec3 n = touches->items[i].normal, level = level_part(n, upright->up);
        const double into = gjk_dot3(n, v), square = gjk_dot3(level, level);
        if (into < 0.0 && gjk_dot3(n, upright->up) > 0.0 && square > PARALLEL &&
            !gjk_is_floor(upright, n)) {
            v = gjk_sub3(v, gjk_scale3(into / square, level));
        }
    }
    return v;
}

gjk_vec3 gjk_touches_turn(const gjk_touches *touches, const gjk_upright *upright, gjk_vec3 wish) {
    cone c = {.count = 0};
    gjk_vec3 start = wish, walks[GJK_TOUCHES_MAX];
    uint32_t walk_count = 0;
    bool on_floor = false;
    double pressing = 0.0;
    for (uint32_t i = 0; upright->has_up && i < touches->count; i++) {
        const gjk_vec3 n = touches->items[i].normal;
        const double into = -gjk_dot3(wish, n);
        on_floor = on_floor || gjk_is_floor(upright, n);
        if (gjk_is_floor(upright, n) && into > INWARD * gjk_length3(wish) &&
            gjk_dot3(wish, upright->up) <= INWARD * gjk_length3(wish)) {
            walks[walk_count] = walk_along(level_part(wish, upright->up), n);
            start = into > pressing ? walks[walk_count] : start;
            pressing = gjk_larger(pressing, into);
            walk_count++;
        }
    }
    for (uint32_t i = 0; i < touches->count; i++) {
        const gjk_vec3 n = touches->items[i].normal;
        if (upright->has_up && !gjk_is_floor(upright, n)) {
            add_wall(&c, upright, n, start, on_floor);
        } else {
            c.planes[c.count++] = n;
        }
    }
    for (uint32_t i = 0; i < walk_count; i++) {
        if (is_free(&c, walks[i])) {
            return walks[i];
        }
    }
    if (upright->has_up) {
        const gjk_vec3 back = keep_off_walls(touches, upright, start);
        bool frees = true;
        for (uint32_t i = 0; i < touches->count; i++) {
            frees =
                frees && gjk_dot3(touches->items[i].normal, back) >= -INWARD * gjk_length3(back);
        }
        if (frees) {
            return back;
        }
    }
    return project(&c, start, upright->dimension == 3);
}
