/*
 * Random walks in a level of a mesh and boxes. No leg crosses anything and no place overlaps
 * anything; a way that is free is gone to its end; on flat ground nothing but the boxes is a wall;
 * on a set without a tree, in another order, the answers are the same to the bit. GJKD_FACTOR: for
 * longer runs; 625 makes 10,000 walks.
 */

#include "gjk/move.h"

#include "gjk/pieces.h"
#include "support/meshes.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define CELLS 48
#define CELL 0.5
#define FLAT 5.0 /* half of a side of the flat part, in the middle */
#define BOXES 40
#define MOVES 200
#define WALKS 10      /* what else walks have found are fixed cases, here and in the unit tests */
#define MANY_WALKS 16 /* with GJKD_FACTOR, that many times */
#define FREE 0.05     /* a way that a body that stands still must not have */

typedef struct level {
    struct gjk_arena arena;
    gjk_shape mesh, boxes[BOXES], walkers[3];
    gjk_shape grown[3]; /* the walkers with most of their skin */
    char ids[BOXES + 1][8];
    gjk_body bodies[BOXES + 1], turned[BOXES + 1];
    struct gjk_set *set, *other;
} level;

static double height(double x, double y) {
    const double off = fmax(fabs(x), fabs(y)) - FLAT;
    return off <= 0.0 ? 0.0 : 0.5 * off * sin(1.1 * x) * cos(0.8 * y);
}

static void make_mesh(level *l) {
    static gjk_vec3 vertices[(CELLS + 1) * (CELLS + 1)];
    static uint32_t triangles[2 * CELLS * CELLS][3];
    test_ground(CELLS, CELL, height, vertices, triangles);
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = (CELLS + 1) * (CELLS + 1),
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = 2 * CELLS * CELLS};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(&l->arena, &mesh, 0, &fault, &l->mesh), GJK_OK);
}

static void add(level *l, uint32_t i, const gjk_shape *shape, gjk_pose pose) {
    (void)snprintf(l->ids[i], sizeof l->ids[i], "b%u", i * 7 % 41);
    l->bodies[i] = (gjk_body){.id = l->ids[i],
                              .handle = i,
                              .category = 1,
                              .mask = UINT32_MAX,
                              .placed = {shape, pose}};
    l->turned[BOXES - i] = l->bodies[i];
}

/* Makes the bodies that walk, grown by a part of their skin. */
static void make_walkers(level *l, double part, gjk_shape walkers[3]) {
    const gjk_vec3 ends[2] = {{0, 0, -0.5}, {0, 0, 0.5}}, half = {0.3, 0.4, 0.8};
    double skins[3] = {0, 0, 0};
    for (int i = 0; i < 3 && part > 0.0; i++) {
        const gjk_placed walker = {&l->walkers[i], gjk_pose_identity()};
        skins[i] = part * gjk_move_make(&walker, (gjk_vec3){1, 0, 0}).skin;
    }
    ck_assert_int_eq(gjk_shape_make_capsule(&l->arena, 3, ends, 0.4 + skins[0], 0, &walkers[0]),
                     GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&l->arena, 3, half, skins[1], &walkers[1]), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&l->arena, 3, 0.5 + skins[2], 0, &walkers[2]), GJK_OK);
}

/* Walls around, and boxes that stand about, one in three turned in any way. */
static void make_level(test_rng *rng, level *l) {
    gjk_arena_init(&l->arena, 0);
    make_mesh(l);
    add(l, BOXES, &l->mesh, gjk_pose_identity());
    for (uint32_t i = 0; i < BOXES; i++) {
        const bool is_wall = i < 4;
        const double side = CELLS * CELL / 2;
        const gjk_vec3 half =
            is_wall ? (gjk_vec3){i < 2 ? 1 : side, i < 2 ? side : 1, 30}
                    : (gjk_vec3){test_rng_uniform(rng, 0.1, 1.5), test_rng_uniform(rng, 0.1, 1.5),
                                 test_rng_uniform(rng, 0.05, 1)};
        const double angle = test_rng_uniform(rng, 0, 3);
        const gjk_vec3 axis =
            test_rng_once_in(rng, 3) ? test_rng_direction(rng, 3) : (gjk_vec3){0, 0, 1};
        const gjk_quat turn = {axis.x * sin(angle), axis.y * sin(angle), axis.z * sin(angle),
                               cos(angle)};
        gjk_vec3 place = {test_rng_uniform(rng, -10, 10), test_rng_uniform(rng, -10, 10), 0};
        place.z = height(place.x, place.y) + test_rng_uniform(rng, -0.2, 0.2) + half.z;
        if (is_wall) {
            const double at = i % 2 ? side : -side;
            place = (gjk_vec3){i < 2 ? at : 0, i < 2 ? 0 : at, 0};
        }
        gjk_pose pose = gjk_pose_identity();
        ck_assert_int_eq(gjk_pose_make3(place, is_wall ? (gjk_quat){0, 0, 0, 1} : turn, &pose),
                         GJK_OK);
        ck_assert_int_eq(gjk_shape_make_box(&l->arena, 3, half, 0, &l->boxes[i]), GJK_OK);
        add(l, i, &l->boxes[i], pose);
    }
    make_walkers(l, 0, l->walkers);
    make_walkers(l, 0.9, l->grown);
    ck_assert_int_eq(gjk_set_new_indexed(3, l->bodies, BOXES + 1, &l->set), GJK_OK);
    ck_assert_int_eq(gjk_set_new(3, l->turned, BOXES + 1, &l->other), GJK_OK);
}

static void drop_level(level *l) {
    gjk_set_release(l->set);
    gjk_set_release(l->other);
    gjk_arena_fini(&l->arena);
}

typedef struct walk {
    level *level;
    gjk_selection all;
    gjk_placed body;
    unsigned frees, steps, grounds;
} walk;

static bool is_free(const walk *w, const gjk_shape *shape, gjk_vec3 way) {
    const gjk_snapshot snapshot = gjk_snapshot_of(w->level->set);
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(way);
    const gjk_placed placed = {shape, w->body.pose};
    gjk_cast_settings settings = gjk_cast_settings_default();
    settings.at_start = GJK_AT_START_LEAVING;
    return !gjk_set_cast_turning_any(&snapshot, &placed, &straight, &w->all, &settings);
}

static double gap_of(const walk *w) {
    const gjk_snapshot snapshot = gjk_snapshot_of(w->level->set);
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_selection first = w->all;
    gjk_nears nears;
    settings.is_signed = true;
    first.limit = 1;
    first.rest_unasked = true;
    ck_assert_int_eq(gjk_set_nearest(&snapshot, &w->body, INFINITY, &first, &settings, &nears),
                     GJK_OK);
    return nears.items[0].result.signed_distance;
}

static void check_contacts(const walk *w, const gjk_move_result *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        const gjk_move_contact *c = &r->items[i];
        const bool on_flat = fmax(fabs(c->point.x), fabs(c->point.y)) < FLAT - CELL;
        if (c->body->placed.shape == &w->level->mesh && on_flat) {
            ck_assert_double_gt(c->normal.z, 1 - 1e-9);
        }
        ck_assert(i == 0 || r->items[i - 1].fraction <= c->fraction);
    }
}

static void check_same(const walk *w, const gjk_move *move, const gjk_move_result *r) {
    const gjk_snapshot other = gjk_snapshot_of(w->level->other);
    gjk_move_result again;
    ck_assert_int_eq(gjk_set_move(&other, move, &w->all, &again), GJK_OK);
    ck_assert(memcmp(&again.position, &r->position, sizeof r->position) == 0);
    ck_assert(memcmp(&again.blocked, &r->blocked, sizeof r->blocked) == 0);
    ck_assert_uint_eq(again.count, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        ck_assert_str_eq(again.items[i].body->id, r->items[i].body->id);
        ck_assert(memcmp(&again.items[i].normal, &r->items[i].normal, sizeof(gjk_vec3)) == 0);
    }
}

/* A body that did not move cannot go on with its skin in any level direction that is not against the
 * way. What only its skin stops must stop it: a way between two steep walls may be wide enough for
 * the body alone. */
static void check_is_held(const walk *w, gjk_vec3 way) {
    const gjk_shape *grown = &w->level->grown[w->body.shape - w->level->walkers];
    const double speed = hypot(way.x, way.y);
    for (int i = -6; i <= 6; i++) {
        const double x = way.x / speed, y = way.y / speed, turn = 0.2 * i;
        const gjk_vec3 next = {FREE * (x * cos(turn) - y * sin(turn)),
                               FREE * (x * sin(turn) + y * cos(turn)), 0};
        ck_assert(!is_free(w, grown, next));
    }
}

static gjk_move move_of(const walk *w, gjk_vec3 way) {
    gjk_move move = gjk_move_make(&w->body, way);
    move.has_up = true;
    move.up = (gjk_vec3){0, 0, 1};
    move.step = 0.3;
    move.snap = 0.1;
    return move;
}

/* How far beside its level end a way may end that is free for the body but leads into floors by less
 * than the skin: such a floor is walked along, with as much length as the level part has. */
static double taken_by_floors(const gjk_move_result *r, gjk_vec3 way) {
    const gjk_vec3 flat = {way.x, way.y, 0};
    double most = 0.0;
    for (uint32_t i = 0; i < r->count; i++) {
        const gjk_vec3 n = r->items[i].normal;
        if (n.z >= sqrt(0.5) - 1e-9 && gjk_dot3(n, way) < 0.0) {
            const gjk_vec3 along = gjk_sub3(flat, gjk_scale3(gjk_dot3(flat, n), n));
            const double part = gjk_length3(flat) / gjk_length3(along);
            const gjk_vec3 off = gjk_sub3(gjk_scale3(part, along), flat);
            most = fmax(most, (1 - r->items[i].fraction) * hypot(off.x, off.y));
        }
    }
    return most;
}

static void step_once(walk *w, gjk_vec3 way) {
    const gjk_snapshot snapshot = gjk_snapshot_of(w->level->set);
    const gjk_move move = move_of(w, way);
    gjk_move_result r;
    const bool free = is_free(w, w->body.shape, way);
    ck_assert_int_eq(gjk_set_move(&snapshot, &move, &w->all, &r), GJK_OK);
    check_same(w, &move, &r);
    check_contacts(w, &r);
    ck_assert(gjk_length3(r.pushed) == 0.0);
    if (free) { /* but for what the normal of an edge turns it, which is one of many */
        const gjk_vec3 off = gjk_sub3(r.moved, way);
        ck_assert_double_le(hypot(off.x, off.y),
                            4 * move.skin + 0.02 * gjk_length3(way) + taken_by_floors(&r, way));
    }
    for (uint32_t i = 0; i < r.leg_count; i++) {
        ck_assert(is_free(w, w->body.shape, gjk_scale3(1 - 1e-9, r.legs[i])));
        w->body.pose.position = gjk_add3(w->body.pose.position, r.legs[i]);
    }
    w->body.pose.position = r.position;
    ck_assert_double_gt(gap_of(w), -1e-9);
    if (gjk_length3(r.moved) < 1e-6) {
        check_is_held(w, way);
    }
    for (uint32_t i = 0; i < r.count; i++) {
        w->steps += r.items[i].step;
    }
    w->frees += free;
    w->grounds += r.grounded;
}

TEST(walks_cross_nothing_and_are_held_up_by_nothing) {
    static level l;
    test_rng rng = test_rng_make(2704);
    gjk_filter everybody = gjk_filter_default();
    struct gjk_arena scratch;
    unsigned frees = 0, steps = 0, grounds = 0, moves = 0;
    make_level(&rng, &l);
    gjk_arena_init(&scratch, 0);
    const uint64_t factor = test_factor();
    const uint64_t walks = factor > 1 ? MANY_WALKS * factor : TEST_CASES(WALKS);
    for (uint64_t i = 0; i < walks; i++) {
        walk w = {.level = &l, .body = {&l.walkers[i % 3], gjk_pose_identity()}};
        w.all = (gjk_selection){.filter = &everybody, .limit = UINT32_MAX, .arena = &scratch};
        w.body.pose.position =
            (gjk_vec3){test_rng_uniform(&rng, -9, 9), test_rng_uniform(&rng, -9, 9), 6};
        double angle = test_rng_uniform(&rng, 0, 6);
        const double speed = test_rng_magnitude(&rng, -2, 0);
        for (int k = 0; k < MOVES; k++) {
            angle += test_rng_once_in(&rng, 20) ? test_rng_uniform(&rng, -3, 3) : 0.0;
            const double fall = test_rng_once_in(&rng, 30) ? 0.3 : -0.3 * speed - 0.15;
            step_once(&w, (gjk_vec3){speed * cos(angle), speed * sin(angle), fall});
            gjk_arena_reset(&scratch);
        }
        frees += w.frees;
        steps += w.steps;
        grounds += w.grounds;
        moves += MOVES;
    }
    gjk_arena_fini(&scratch);
    drop_level(&l);
    ck_assert_uint_gt(frees, moves / 50);
    ck_assert_uint_gt(steps, moves / 500);
    ck_assert_uint_gt(grounds, moves / 3);
}

/* Moves of longer walks that once stopped where a level way was free: beside an upright wall a floor
 * led up (5); of a leaning wall only the level part was kept free of a walk that went down (6, 11); a
 * corner of a box was in a valley of two steep triangles (13). Between a steep triangle and a box a
 * level way is wide enough for the body, but not for its skin: that move stops (17). A way passes an
 * edge of a slope by less than the skin: that move walks down the slope until the edge ends (86). */
static const struct {
    uint64_t seed;
    int walker;
    gjk_vec3 place, way;
    bool is_held;
} stops[] = {
    {5,
     0,
     {4.9658273349118423, 5.5133538916061031, 0.95589967872129},
     {0.18887336797793028, -0.15882018022864608, -0.22403195181897317},
     false},
    {6,
     0,
     {3.8277259408425786, 8.4238651158753868, -0.24399933494447393},
     {-0.041387829698378356, 0.38097618986718962, -0.26496531160466474},
     false},
    {11,
     0,
     {3.7784335227280748, 7.7129142861221771, -0.052532746157050642},
     {-0.073462598588203615, 0.060266207037163191, -0.17850595059242891},
     false},
    {13,
     1,
     {10.005223958975087, -7.8945833867159489, -1.2049554689591206},
     {-0.14445237183658444, -0.63056383083177592, -0.34406944871210754},
     false},
    {17,
     0,
     {-8.9397011612518131, -7.5498694002750781, 2.1417757389583332},
     {-0.38457709635179121, -0.6505919303615848, -0.37672725081052549},
     true},
    {86,
     0,
     {1.080445534091534, 9.1123907893027436, 2.0108521375648523},
     {-0.069891964329731451, 0.54538506896563721, -0.31495356441000877},
     false},
};

TEST_EACH(where_a_way_is_free_for_the_skin_too_nothing_stops, 0, sizeof stops / sizeof *stops) {
    static level l;
    test_rng rng = test_rng_make(stops[_i].seed);
    gjk_filter everybody = gjk_filter_default();
    struct gjk_arena scratch;
    gjk_move_result r;
    make_level(&rng, &l);
    gjk_arena_init(&scratch, 0);
    walk w = {.level = &l, .body = {&l.walkers[stops[_i].walker], gjk_pose_identity()}};
    w.all = (gjk_selection){.filter = &everybody, .limit = UINT32_MAX, .arena = &scratch};
    w.body.pose.position = stops[_i].place;
    const gjk_snapshot snapshot = gjk_snapshot_of(l.set);
    const gjk_move move = move_of(&w, stops[_i].way);
    ck_assert_int_eq(gjk_set_move(&snapshot, &move, &w.all, &r), GJK_OK);
    ck_assert(stops[_i].is_held ? gjk_length3(r.moved) == 0.0 : gjk_length3(r.moved) > 0.05);
    step_once(&w, stops[_i].way);
    gjk_arena_fini(&scratch);
    drop_level(&l);
}
