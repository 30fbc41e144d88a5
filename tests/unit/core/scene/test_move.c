/*
 * What players of games complain about: stuck on inner edges, jitter in corners, climbing what is
 * too steep sideways, hopping down stairs, tunnelling, narrow ledges, ground lost at seams, other
 * results at other frame rates.
 */

#include "gjk/move.h"

#include "gjk/pieces.h"
#include "support/rng.h"
#include "support/set_body.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define BODIES 64
#define SKIN 1.8e-4 /* of the capsule */

static struct gjk_arena arena;
static gjk_shape shapes[BODIES];
static char ids[BODIES][8];
static gjk_body bodies[BODIES];
static uint32_t count, dimension;
static struct gjk_set *set;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    count = 0;
    dimension = 3;
    set = NULL;
}

static void tear_down(void) {
    gjk_set_release(set);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static gjk_pose at(double x, double y, double z) {
    gjk_pose pose = gjk_pose_identity();
    pose.position = (gjk_vec3){x, y, z};
    return pose;
}

static void add(const gjk_shape *shape, gjk_pose pose) {
    ck_assert_uint_lt(count, BODIES);
    shapes[count] = *shape;
    (void)snprintf(ids[count], sizeof ids[count], "b%u", count);
    bodies[count] = (gjk_body){.id = ids[count],
                               .handle = count,
                               .category = 1,
                               .mask = UINT32_MAX,
                               .placed = {&shapes[count], pose}};
    count++;
}

/* A box from one corner to the other. */
static void add_box(double x0, double y0, double z0, double x1, double y1, double z1) {
    const gjk_vec3 half = {0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0)};
    gjk_shape box;
    ck_assert_int_eq(gjk_shape_make_box(&arena, dimension, half, 0, &box), GJK_OK);
    add(&box, at(x0 + half.x, y0 + half.y, z0 + half.z));
}

static void add_triangle(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    const gjk_vec3 corners[3] = {a, b, c};
    gjk_shape triangle;
    ck_assert_int_eq(gjk_shape_make_triangle(&arena, corners, 0, &triangle), GJK_OK);
    add(&triangle, gjk_pose_identity());
}

/* A mesh of the same height everywhere, of so many cells of a size, around the origin. */
static void add_mesh(uint32_t cells, double cell, double (*height)(double x, double y)) {
    const uint32_t side = cells + 1;
    gjk_vec3 *vertices = gjk_arena_alloc_array(&arena, (size_t)side * side, sizeof *vertices);
    uint32_t(*triangles)[3] =
        gjk_arena_alloc_array(&arena, (size_t)2 * cells * cells, sizeof *triangles);
    uint32_t n = 0;
    for (uint32_t i = 0; i < side * side; i++) {
        const double x = cell * ((double)(i % side) - 0.5 * cells);
        const double y = cell * ((double)(i / side) - 0.5 * cells);
        vertices[i] = (gjk_vec3){x, y, height(x, y)};
    }
    for (uint32_t i = 0; i < cells * cells; i++) {
        const uint32_t a = i / cells * side + i % cells;
        memcpy(triangles[n++], (uint32_t[3]){a, a + 1, a + side + 1}, sizeof *triangles);
        memcpy(triangles[n++], (uint32_t[3]){a, a + side + 1, a + side}, sizeof *triangles);
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = side * side,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = n};
    gjk_pieces_fault fault;
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0, &fault, &shape), GJK_OK);
    add(&shape, gjk_pose_identity());
}

static double flat(double x, double y) {
    (void)x, (void)y;
    return 0.0;
}

/* 1.8 tall and 0.8 wide, its lowest point at its origin. */
static gjk_shape capsule(void) {
    const gjk_vec3 ends[2] = {{0, 0, 0.4}, {0, 0, 1.4}};
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_capsule(&arena, 3, ends, 0.4, 0, &shape), GJK_OK);
    return shape;
}

/* The same as a box. */
static gjk_shape crate(void) {
    gjk_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = (gjk_vec3){i & 1 ? 0.4 : -0.4, i & 2 ? 0.4 : -0.4, i & 4 ? 1.8 : 0};
    }
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, corners, 8, 0, &shape), GJK_OK);
    return shape;
}

static gjk_move upright(const gjk_shape *shape, gjk_vec3 from, gjk_vec3 way) {
    const gjk_placed moving = {shape, at(from.x, from.y, from.z)};
    gjk_move move = gjk_move_make(&moving, way);
    move.has_up = true;
    move.up = (gjk_vec3){0, 0, 1};
    return move;
}

static bool overlaps(const gjk_shape *shape, gjk_vec3 place, const gjk_selection *selection) {
    const gjk_placed placed = {shape, at(place.x, place.y, place.z)};
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_hits hits;
    ck_assert_int_eq(gjk_set_detect(&snapshot, &placed, selection, &settings, &hits), GJK_OK);
    for (uint32_t i = 0; i < hits.count; i++) {
        if (hits.items[i].result.state == GJK_OVERLAPPING) {
            return true;
        }
    }
    return false;
}

/* Moves, and checks what must hold of any move. */
static gjk_move_result go(const gjk_move *move) {
    if (set == NULL) {
        ck_assert_int_eq(gjk_set_new(dimension, bodies, count, &set), GJK_OK);
    }
    static gjk_filter everybody;
    everybody = gjk_filter_default();
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_selection all = {.filter = &everybody, .limit = UINT32_MAX, .arena = &arena};
    gjk_move_result r;
    ck_assert_int_eq(gjk_set_move(&snapshot, move, &all, &r), GJK_OK);
    const gjk_vec3 start = move->moving.pose.position;
    gjk_vec3 sum = {0, 0, 0}, place = gjk_add3(start, r.pushed);
    const bool begins_free = !overlaps(move->moving.shape, place, &all);
    for (uint32_t i = 0; i < r.leg_count; i++) {
        gjk_cast_settings settings = gjk_cast_settings_default();
        const gjk_sweep leg = {{move->moving.shape, at(place.x, place.y, place.z)}, r.legs[i]};
        gjk_cast_hits hits;
        settings.at_start = GJK_AT_START_LEAVING;
        ck_assert_int_eq(gjk_set_cast(&snapshot, &leg, &all, &settings, &hits), GJK_OK);
        ck_assert(hits.count == 0 || hits.items[0].result.fraction > 1.0 - 1e-9);
        sum = gjk_add3(sum, r.legs[i]);
        place = gjk_add3(place, r.legs[i]);
    }
    ck_assert(gjk_length3(gjk_sub3(sum, r.moved)) <= 1e-12);
    ck_assert(gjk_length3(gjk_sub3(place, r.position)) <= 1e-12);
    ck_assert(gjk_length3(gjk_sub3(gjk_add3(r.moved, r.blocked), move->translation)) <= 1e-12);
    ck_assert(!begins_free || !overlaps(move->moving.shape, r.position, &all));
    return r;
}

static void check_place(const gjk_move_result *r, double x, double y, double z, double tolerance) {
    ck_assert_double_eq_tol(r->position.x, x, tolerance);
    ck_assert_double_eq_tol(r->position.y, y, tolerance);
    ck_assert_double_eq_tol(r->position.z, z, tolerance);
}

/* --- Walls and corners --- */

TEST(it_stops_at_the_skin_and_slides) {
    const gjk_shape body = capsule();
    add_box(2, -9, -9, 3, 9, 9);
    gjk_move move = gjk_move_make(&(gjk_placed){&body, at(0, 0, 0)}, (gjk_vec3){5, 0, 0});
    gjk_move_result r = go(&move);
    check_place(&r, 1.6 - SKIN, 0, 0, 1e-9);
    ck_assert_uint_eq(r.count, 1);
    ck_assert_double_eq_tol(r.items[0].fraction, (1.6 - SKIN) / 5, 1e-9);
    ck_assert_double_eq_tol(r.items[0].normal.x, -1, 1e-12);
    ck_assert(!r.grounded && !r.truncated && r.leg_count == 1);
    /* The part along the wall is kept. */
    move.translation = (gjk_vec3){5, 2, 0};
    r = go(&move);
    check_place(&r, 1.6 - SKIN, 2, 0, 1e-9);
    ck_assert_double_eq_tol(r.blocked.x, 5 - 1.6 + SKIN, 1e-9);
    /* Any skin; none; a body that starts within it goes no nearer, and away freely. */
    move.skin = 0.1;
    r = go(&move);
    check_place(&r, 1.5, 2, 0, 1e-8);
    move.skin = 0;
    r = go(&move);
    check_place(&r, 1.6, 2, 0, 1e-9);
    move.skin = 0.1;
    move.moving.pose = at(1.55, 0, 0);
    r = go(&move);
    check_place(&r, 1.55, 2, 0, 1e-9);
    move.translation = (gjk_vec3){-1, 2, 0};
    r = go(&move);
    check_place(&r, 0.55, 2, 0, 1e-12);
}

TEST(round_gaps_are_the_skin_too) {
    const gjk_shape body = capsule();
    gjk_shape ball;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    add(&ball, at(3, 0.9, 1));
    gjk_move move = gjk_move_make(&(gjk_placed){&body, at(0, 0, 0)}, (gjk_vec3){5, 0, 0});
    move.slides = 1;
    move.skin = 0.05;
    const gjk_move_result r = go(&move);
    const gjk_vec3 stop = r.legs[0];
    ck_assert_double_eq_tol(hypot(3 - stop.x, 0.9), 1.4 + 0.05, 1e-6);
}

TEST(nothing_jitters_in_an_acute_corner) {
    const gjk_shape body = capsule();
    for (int side = -4; side <= 4; side += 8) {
        add_triangle((gjk_vec3){9, 0, -9}, (gjk_vec3){-9, side, -9}, (gjk_vec3){9, 0, 9});
        add_triangle((gjk_vec3){-9, side, -9}, (gjk_vec3){-9, side, 9}, (gjk_vec3){9, 0, 9});
    }
    gjk_move move = gjk_move_make(&(gjk_placed){&body, at(-3, 0.3, 0)}, (gjk_vec3){20, -0.2, 0});
    gjk_move_result r = go(&move);
    const gjk_vec3 first = r.position;
    ck_assert_double_gt(first.x, -2);
    ck_assert_uint_eq(r.count, 2);
    for (int i = 0; i < 100; i++) {
        move.moving.pose.position = r.position;
        move.translation = (gjk_vec3){1, i % 2 ? 0.1 : -0.1, 0};
        r = go(&move);
        ck_assert(gjk_length3(gjk_sub3(r.position, first)) <= 1e-3);
    }
    /* Along the crease it goes freely. */
    move.moving.pose.position = r.position;
    move.translation = (gjk_vec3){1, 0.1, 0.5};
    r = go(&move);
    ck_assert_double_eq_tol(r.moved.z, 0.5, 1e-6);
    ck_assert(hypot(r.position.x - first.x, r.position.y - first.y) <= 1e-3);
}

TEST(nothing_is_too_fast_or_too_thin) {
    const gjk_shape body = capsule();
    add_triangle((gjk_vec3){50, -90, -90}, (gjk_vec3){50, 90, -90}, (gjk_vec3){50, 0, 90});
    gjk_move move = gjk_move_make(&(gjk_placed){&body, at(0, 0, 0)}, (gjk_vec3){1e6, 0, 0});
    for (int i = 0; i < 3; i++) {
        move.translation.x = (double[]){1e6, 1e12, 1e150}[i];
        const gjk_move_result r = go(&move);
        check_place(&r, 49.6 - SKIN, 0, 0, 1e-6);
    }
}

/* The cast that looks ahead is longer than the move by twice the skin, and so than a coordinate may
 * be. */
TEST(the_longest_way_leads_where_it_is_asked_to) {
    gjk_shape ball;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    add_box(7.9e149, 2.4e149, -1e149, 8.1e149, 2.9e149, 1e149);
    gjk_move move = gjk_move_make(&(gjk_placed){&ball, at(0, 0, 0)}, (gjk_vec3){9e149, 3e149, 0});
    move.skin = 2e149;
    move.slides = 1;
    const gjk_move_result r = go(&move);
    const gjk_vec3 stop = r.legs[0];
    ck_assert_double_eq_tol(stop.y / stop.x, 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(hypot(7.9e149 - stop.x, 2.4e149 - stop.y) / 2e149, 1, 1e-6);
}

/* Walls without thickness, which meet in edges and corners only. */
TEST(nothing_leaves_a_room) {
    const gjk_shape body[2] = {capsule(), crate()};
    for (int side = -4; side <= 4; side += 8) {
        add_box(side, -4, -4, side, 4, 4);
        add_box(-4, side, -4, 4, side, 4);
        add_box(-4, -4, side, 4, 4, side);
    }
    test_rng rng = test_rng_make(2706);
    for (int i = 0; i < TEST_CASES(500); i++) {
        const gjk_vec3 from = {test_rng_uniform(&rng, -3.5, 3.5), test_rng_uniform(&rng, -3.5, 3.5),
                               test_rng_uniform(&rng, -3.9, 2.1)};
        const gjk_vec3 way =
            gjk_scale3(test_rng_magnitude(&rng, 0, 12), test_rng_direction(&rng, 3));
        gjk_move move = upright(&body[i % 2], from, way);
        move.has_up = test_rng_once_in(&rng, 2);
        const gjk_move_result r = go(&move);
        ck_assert(fabs(r.position.x) < 3.6 + 1e-9 && fabs(r.position.y) < 3.6 + 1e-9);
        ck_assert(r.position.z > -4 - 1e-9 && r.position.z < 2.2 + 1e-9);
    }
}

/* The floor turns it once, though it still turns it where the wall does. */
TEST(a_floor_that_goes_on_is_one_slide) {
    const gjk_shape body = capsule();
    add_box(-9, -9, -1, 9, 9, 0);
    add_box(3, -9, 0, 4, 9, 9);
    gjk_move move = gjk_move_make(&(gjk_placed){&body, at(0, 0, 1)}, (gjk_vec3){5, 5, -5});
    move.slides = 2;
    gjk_move_result r = go(&move);
    check_place(&r, 2.6 - SKIN, 5, SKIN, 1e-6);
    move.slides = 1;
    r = go(&move);
    ck_assert_double_lt(r.position.y, 2.7);
}

/* --- Floors --- */

/* Over seams of triangles and of boxes side by side, whatever the gap at the start. */
TEST_EACH(flat_ground_has_no_walls, 0, 4) {
    const gjk_shape body = _i & 1 ? capsule() : crate();
    if (_i & 2) {
        add_mesh(30, 0.7, flat);
    } else {
        for (int i = 0; i < 49; i++) {
            add_box(i % 7 * 3 - 10.5, i / 7 * 3 - 10.5, -1, i % 7 * 3 - 7.5, i / 7 * 3 - 7.5, 0);
        }
    }
    test_rng rng = test_rng_make(2703);
    for (int i = 0; i < TEST_CASES(500); i++) {
        const gjk_vec3 way =
            gjk_scale3(test_rng_uniform(&rng, 0.01, 6), test_rng_direction(&rng, 2));
        const double gap = test_rng_once_in(&rng, 4)   ? 0
                           : test_rng_once_in(&rng, 2) ? SKIN
                                                       : test_rng_uniform(&rng, 0, SKIN);
        gjk_vec3 from = {test_rng_uniform(&rng, -3, 3), test_rng_uniform(&rng, -3, 3), gap};
        if (test_rng_once_in(&rng, 3)) {
            from.x = 0.7 * floor(from.x / 0.7) + (_i & 1 ? 0 : 0.05);
        }
        gjk_move move = upright(&body, from, way);
        move.translation.z = test_rng_once_in(&rng, 2) ? 0 : -0.2;
        const gjk_move_result r = go(&move);
        ck_assert(r.grounded && r.ground.normal.z > 1 - 1e-9);
        ck_assert_double_eq_tol(r.moved.x, way.x, 1e-9);
        ck_assert_double_eq_tol(r.moved.y, way.y, 1e-9);
        for (uint32_t k = 0; k < r.count; k++) {
            ck_assert_double_gt(r.items[k].normal.z, 1 - 1e-6);
        }
    }
}

TEST(a_body_stands_still_on_a_slope_that_it_can_walk) {
    const gjk_shape body = capsule();
    add_triangle((gjk_vec3){-90, -90, -45}, (gjk_vec3){90, -90, 45}, (gjk_vec3){0, 180, 0});
    gjk_move move = upright(&body, (gjk_vec3){0, 0, 1}, (gjk_vec3){0, 0, -3});
    gjk_move_result r = go(&move);
    const gjk_vec3 landed = r.position;
    ck_assert(r.grounded);
    ck_assert_double_eq_tol(r.ground.normal.z, 2 / sqrt(5), 1e-9);
    for (int i = 0; i < 50; i++) {
        move.moving.pose.position = r.position;
        move.translation = (gjk_vec3){0, 0, -0.1};
        r = go(&move);
        ck_assert(r.grounded && gjk_length3(gjk_sub3(r.position, landed)) <= 1e-6);
    }
    /* It walks up and down with all its length, pressed down or not. */
    for (int i = 0; i < 4; i++) {
        move.translation = (gjk_vec3){i & 1 ? 1 : -1, 0, i & 2 ? -0.9 : 0};
        move.moving.pose.position = landed;
        move.snap = 0.6;
        r = go(&move);
        ck_assert(r.grounded);
        ck_assert_double_eq_tol(r.moved.z, 0.5 * r.moved.x, 2e-3);
        ck_assert_double_ge(fabs(r.moved.x), 2 / sqrt(5) - 1e-3);
    }
}

TEST(a_hilltop_is_the_end_of_a_leg) {
    const gjk_shape body = crate();
    add_triangle((gjk_vec3){0, -90, 0}, (gjk_vec3){4, -90, 2}, (gjk_vec3){4, 90, 2});
    add_triangle((gjk_vec3){0, -90, 0}, (gjk_vec3){4, 90, 2}, (gjk_vec3){0, 90, 0});
    add_triangle((gjk_vec3){4, -90, 2}, (gjk_vec3){90, -90, 2}, (gjk_vec3){4, 90, 2});
    gjk_shape ball;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 0.4, 0, &ball), GJK_OK);
    for (int i = 0; i < 2; i++) {
        gjk_move move = upright(i ? &ball : &body, (gjk_vec3){3, 0, 2.5}, (gjk_vec3){0, 0, -2});
        gjk_move_result r = go(&move);
        ck_assert(r.grounded);
        move.moving.pose.position = r.position;
        move.translation = (gjk_vec3){6, 0, 0};
        r = go(&move);
        /* On top it goes on level: no higher than the plateau and a few skins. */
        ck_assert_double_le(r.position.z, 2 + (i ? 0.4 : 0) + 0.01);
        ck_assert_double_gt(r.position.x, 8);
    }
}

/* A slope of 60 degrees along y; sideways, against it and with every angle between: never up. */
TEST(what_is_too_steep_is_not_climbed_sideways) {
    const gjk_shape body = capsule();
    add_box(-90, -90, -1, 90, 90, 0);
    add_triangle((gjk_vec3){1, -90, 0}, (gjk_vec3){1, 90, 0}, (gjk_vec3){11, -90, 10 * sqrt(3)});
    add_triangle((gjk_vec3){1, 90, 0}, (gjk_vec3){11, 90, 10 * sqrt(3)},
                 (gjk_vec3){11, -90, 10 * sqrt(3)});
    for (int angle = 0; angle < 90; angle += 5) {
        gjk_vec3 place = {0, 0, SKIN};
        for (int i = 0; i < 60; i++) {
            const double a = angle * 0.017453292519943295;
            gjk_move move = upright(&body, place, (gjk_vec3){0.2 * cos(a), 0.2 * sin(a), -0.02});
            move.step = 0.3;
            move.snap = 0.1;
            const gjk_move_result r = go(&move);
            place = r.position;
            ck_assert_double_le(place.z, 0.01);
            ck_assert(r.grounded);
        }
        /* Sideways it did get on. */
        ck_assert_double_ge(place.y, 60 * 0.2 * sin(angle * 0.017453292519943295) * 0.9 - 0.1);
    }
    /* In the air it slides down, not up. */
    gjk_vec3 place = {3, 0, 5};
    for (int i = 0; i < 40; i++) {
        gjk_move move = upright(&body, place, (gjk_vec3){0.3, 0.1, -0.1});
        const gjk_move_result r = go(&move);
        ck_assert_double_le(r.position.z, place.z + 1e-9);
        place = r.position;
    }
    /* A jump beside it keeps its height, and goes on as the slope recedes. */
    gjk_move jump = upright(&body, (gjk_vec3){0.2, 0, SKIN}, (gjk_vec3){2, 0, 1});
    gjk_move_result r = go(&jump);
    ck_assert_double_eq_tol(r.moved.z, 1, 1e-6);
    ck_assert_double_eq_tol(r.moved.x, 0.8 + 0.6 / sqrt(3), 1e-3);
    ck_assert_uint_le(r.leg_count, 2);
    /* In the corner of two it keeps its height, too. */
    add_triangle((gjk_vec3){-90, 1, 0}, (gjk_vec3){90, 1, 0}, (gjk_vec3){0, 11, 10 * sqrt(3)});
    gjk_set_release(set);
    set = NULL;
    jump = upright(&body, (gjk_vec3){0.2, 0.2, SKIN}, (gjk_vec3){3, 2, 1});
    r = go(&jump);
    ck_assert_double_le(r.moved.z, 1 + 1e-6);
    ck_assert_double_ge(r.moved.z, 1 - 1e-6);
}

/* Beside walls that lean away or not at all, along floors that lead up there, although the walk itself
 * would lead down. */
TEST_EACH(a_floor_leads_up_beside_a_wall, 0, 3) {
    const gjk_shape body = crate();
    const double lean = (double[]){0, 1e-9, 0.5}[_i]; /* how far into the wall for each height */
    add_triangle((gjk_vec3){-90, -90, -18}, (gjk_vec3){90, -90, -36}, (gjk_vec3){0, 90, 27});
    add_triangle((gjk_vec3){-28 - 90 * lean, -90 + 30 * lean, -90},
                 (gjk_vec3){32 - 90 * lean, 90 + 30 * lean, -90},
                 (gjk_vec3){2 + 90 * lean, -30 * lean, 90});
    gjk_move move = upright(&body, (gjk_vec3){0, 0, 3}, (gjk_vec3){0, 0, -9});
    gjk_move_result r = go(&move);
    ck_assert(r.grounded);
    move.snap = 0.3;
    for (int i = 0; i < 2; i++) {
        move.moving.pose.position = r.position;
        move.translation = (gjk_vec3){4, 1, -0.1};
        r = go(&move);
        ck_assert(r.grounded);
    }
    ck_assert_double_gt(r.moved.y, 1);
    ck_assert_double_gt(r.moved.z, 0.1);
}

/* --- Steps --- */

static void add_stairs(int steps, double tread, double riser) {
    add_box(-20, -9, -1, 0, 9, 0);
    for (int i = 0; i < steps; i++) {
        add_box(i * tread, -9, -1, i == steps - 1 ? i * tread + 20 : (i + 1) * tread, 9,
                (i + 1) * riser);
    }
}

static gjk_move walker(const gjk_shape *body, gjk_vec3 from, gjk_vec3 way) {
    gjk_move move = upright(body, from, way);
    move.step = 0.35;
    move.snap = 0.35;
    return move;
}

/* Up and down stairs at different frame rates: on top at last, never in the air. */
TEST_EACH(stairs_are_walked, 0, 8) {
    const bool is_round = _i & 1;
    const gjk_shape body = is_round ? capsule() : crate();
    const int frames = (int[]){30, 60, 120, 240}[_i / 2];
    add_stairs(6, 0.5, 0.25);
    gjk_vec3 place = {-1.5, 0, SKIN};
    for (int i = 0; i < 2 * frames; i++) {
        const gjk_move move = walker(&body, place, (gjk_vec3){3.0 / frames, 0, -0.1 / frames});
        const gjk_move_result r = go(&move);
        ck_assert_double_ge(r.position.x, place.x);
        ck_assert_double_ge(r.position.z, place.z - 1e-3);
        place = r.position;
    }
    ck_assert_double_gt(place.x, 4.0);
    ck_assert_double_gt(place.z, 1.5);
    ck_assert_double_lt(place.z, 1.5 + 2 * SKIN);
    double most = 0;
    for (int i = 0; i < 2 * frames; i++) {
        const gjk_move move = walker(&body, place, (gjk_vec3){-3.0 / frames, 0, -0.1 / frames});
        const gjk_move_result r = go(&move);
        const double below = place.z - r.position.z;
        ck_assert(r.grounded || is_round); /* a ball rolls over the edge */
        ck_assert_double_ge(below, -1e-6);
        most = below > most ? below : most;
        place = r.position;
    }
    ck_assert_double_lt(place.x, -1.4);
    ck_assert_double_gt(place.z, 0);
    ck_assert_double_lt(place.z, 2 * SKIN);
    ck_assert_double_le(most, 0.26);
}

TEST(a_ledge_narrower_than_the_body_is_a_step) {
    for (int i = 0; i < 2; i++) {
        const gjk_shape body = i ? capsule() : crate();
        count = 0;
        gjk_set_release(set);
        set = NULL;
        add_box(-20, -9, -1, 0, 9, 0);
        add_box(0, -9, -1, 0.2, 9, 0.3);
        add_box(0.2, -9, -1, 20, 9, 5);
        const gjk_move move = walker(&body, (gjk_vec3){-1, 0, SKIN}, (gjk_vec3){3, 0, 0});
        const gjk_move_result r = go(&move);
        ck_assert_double_eq_tol(r.position.x, -0.2 - SKIN, 1e-6);
        ck_assert_double_gt(r.position.z, 0.05);
        bool stepped = false;
        for (uint32_t k = 0; k < r.count; k++) {
            stepped = stepped || r.items[k].step;
        }
        ck_assert(stepped || i == 1);
    }
}

/* What is beyond it lies too deep: it comes down on the curb, and goes on. */
TEST(a_curb_before_a_pit_is_a_step) {
    for (int i = 0; i < 2; i++) {
        const gjk_shape body = i ? capsule() : crate();
        count = 0;
        gjk_set_release(set);
        set = NULL;
        add_box(-20, -9, -1, 0, 9, 0);
        add_box(0, -9, -1, 1, 9, 0.3);
        add_box(1, -9, -9, 20, 9, -5);
        const gjk_move move = walker(&body, (gjk_vec3){-1, 0, SKIN}, (gjk_vec3){4, 0, 0});
        const gjk_move_result r = go(&move);
        ck_assert_double_eq_tol(r.moved.x, 4, 1e-6);
        ck_assert(r.items[0].step || i == 1);
    }
}

TEST(a_wall_higher_than_a_step_is_not_climbed) {
    const gjk_shape body = crate();
    add_box(-20, -9, -1, 0, 9, 0);
    add_box(0, -9, -1, 9, 9, 0.36);
    gjk_move move = walker(&body, (gjk_vec3){-1, 0, SKIN}, (gjk_vec3){3, 0, 0});
    gjk_move_result r = go(&move);
    check_place(&r, -0.4 - SKIN, 0, SKIN, 1e-6);
    move.step = 0.37;
    r = go(&move);
    check_place(&r, 2, 0, 0.36 + SKIN, 1e-6);
    ck_assert(r.items[0].step && r.grounded);
    ck_assert_uint_eq(r.count, 1);
}

/* --- The same at different frame rates --- */

static double hills(double x, double y) {
    return 0.8 * sin(0.9 * x) * cos(0.7 * y);
}

/* Over hills, along a wall and past its end; on the ground once it has landed. */
TEST(frame_rates_agree) {
    const gjk_shape body = capsule();
    add_mesh(40, 0.5, hills);
    add_box(-1, -9, -2, 0, -1, 5);
    gjk_vec3 places[3][8];
    for (int k = 0; k < 3; k++) {
        const int frames = (int[]){30, 60, 240}[k];
        gjk_vec3 place = {-6, -3, 2};
        bool has_landed = false;
        for (int i = 0; i < 8 * frames; i++) {
            const gjk_move move =
                walker(&body, place, (gjk_vec3){1.25 / frames, 0.6 / frames, -2.0 / frames});
            const gjk_move_result r = go(&move);
            ck_assert(r.grounded || !has_landed);
            has_landed = r.grounded;
            place = r.position;
            places[k][i / frames] = place;
        }
        ck_assert(has_landed);
    }
    ck_assert_double_gt(places[2][7].x, 1);
    for (int i = 0; i < 8; i++) {
        ck_assert(gjk_length3(gjk_sub3(places[0][i], places[2][i])) <= 0.02);
        ck_assert(gjk_length3(gjk_sub3(places[1][i], places[2][i])) <= 0.01);
    }
}

/* --- Pushing out --- */

TEST(what_overlaps_is_pushed_out) {
    const gjk_shape body = capsule();
    add_box(-9, -9, -1, 9, 9, 0);
    add_box(0.3, -9, 0, 2, 9, 9);
    gjk_move move = upright(&body, (gjk_vec3){0, 0, -0.003}, (gjk_vec3){0, 1, 0});
    gjk_move_result r = go(&move);
    ck_assert_double_eq_tol(r.pushed.z, 0.003, 1e-9);
    ck_assert_double_eq_tol(r.pushed.x, -0.1, 1e-9);
    ck_assert_double_eq_tol(r.moved.y, 1, 1e-9);
    ck_assert(r.grounded);
    /* No farther than allowed, and out of the deepest first; what is left does not hold it. */
    move.depenetrate = 0.05;
    r = go(&move);
    ck_assert_double_eq_tol(r.pushed.x, -0.05, 1e-12);
    ck_assert(r.pushed.y == 0.0 && r.pushed.z == 0.0);
    ck_assert_double_eq_tol(r.moved.y, 1, 1e-9);
    move.moving.pose = at(-0.09, 0, -0.1);
    r = go(&move);
    ck_assert_double_eq_tol(r.pushed.z, 0.05, 1e-12);
    ck_assert(r.pushed.x == 0.0 && r.pushed.y == 0.0);
    move.moving.pose = at(0, 0, -0.003);
    move.depenetrate = 0;
    move.translation = (gjk_vec3){-3, 0, 0};
    r = go(&move);
    ck_assert(gjk_length3(r.pushed) == 0.0);
    ck_assert_double_eq_tol(r.moved.x, -3, 1e-9);
    /* Never into something else. */
    move = upright(&body, (gjk_vec3){-0.05, 0, SKIN}, (gjk_vec3){0, 0, 0});
    add_box(-9, -9, 0, -0.46, 9, 9);
    gjk_set_release(set);
    set = NULL;
    r = go(&move);
    ck_assert_double_eq_tol(r.pushed.x, -0.01, 1e-6);
}

TEST(a_plane_has_no_creases) {
    dimension = 2;
    gjk_shape ball;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &ball), GJK_OK);
    add_box(-9, -1, 0, 9, 0, 0);
    add_box(3, 0, 0, 4, 9, 0);
    gjk_move move = gjk_move_make(&(gjk_placed){&ball, at(0, 2, 0)}, (gjk_vec3){9, -9, 0});
    move.has_up = true;
    move.up = (gjk_vec3){0, 1, 0};
    const gjk_move_result r = go(&move);
    check_place(&r, 2.5 - move.skin, 0.5 + move.skin, 0, 1e-8);
    ck_assert(r.grounded && r.position.z == 0.0);
    ck_assert_uint_eq(r.count, 2);
}

/* Boxes that overlap in a row, and the inside of a closed mesh: out of the whole at once. */
TEST(what_lies_in_a_solid_is_pushed_out_of_the_whole) {
    gjk_shape box, row, ball, mesh;
    gjk_placed parts[4];
    gjk_vec3 corners[8];
    const uint32_t faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5},
                                   {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                   {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    gjk_pieces_fault fault;
    for (int i = 0; i < 8; i++) {
        corners[i] = (gjk_vec3){i & 4 ? 2 : -2, i & 2 ? 2 : -2, i & 1 ? 2 : -2};
    }
    const gjk_mesh solid = {.vertices = corners,
                            .vertex_count = 8,
                            .triangles = faces,
                            .triangle_count = 12,
                            .closed = true};
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){1, 1, 1}, 0, &box), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 0.3, 0, &ball), GJK_OK);
    for (int i = 0; i < 4; i++) {
        parts[i] = (gjk_placed){&box, at(1.5 * i, 0, 0)};
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, 4, &row), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &solid, 0, &fault, &mesh), GJK_OK);
    add(&row, at(0, 0, 0));
    add(&mesh, at(0, 0, 20));
    gjk_move move = gjk_move_make(&(gjk_placed){&ball, at(2, 0.1, 0.2)}, (gjk_vec3){0, 0, 0});
    move.depenetrate = 9;
    gjk_move_result r = go(&move);
    check_place(&r, 2, 0.1, 1.3, 1e-9);
    move.moving.pose = at(0.3, 0.2, 21);
    r = go(&move);
    check_place(&r, 0.3, 0.2, 22.3, 1e-9);
    move.depenetrate = 0.5;
    r = go(&move);
    check_place(&r, 0.3, 0.2, 21.5, 1e-9);
}
