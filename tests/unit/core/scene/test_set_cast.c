/*
 * Does a cast at a set keep its promises: the order by fraction and id, the limit, the filter,
 * never itself, and of each body what the cast at that body alone says?
 */

#include "gjk/set_query.h"

#include <stdio.h>
#include <string.h>

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/set_body.h"
#include "support/test.h"

#define BODIES 60

static struct gjk_arena arena;
static gjk_shape ball, wall;
static gjk_body bodies[BODIES];
static struct gjk_set *set;
static const gjk_cast_settings settings = {.tolerance = GJK_TOLERANCE_DEFAULT,
                                           .max_iterations = GJK_ITERATIONS_DEFAULT};

static gjk_placed place(const gjk_shape *shape, double x, double y) {
    gjk_placed placed = {shape, gjk_pose_identity()};
    placed.pose.position = (gjk_vec3){x, y, 0};
    return placed;
}

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 1, 0, &ball), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0, 100, 0}, 0, &wall), GJK_OK);
    set = NULL;
}

static void tear_down(void) {
    gjk_set_release(set);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static void add(uint32_t i, const char *id, gjk_placed placed) {
    bodies[i] =
        (gjk_body){.id = id, .handle = i, .category = 1, .mask = UINT32_MAX, .placed = placed};
}

static void build(uint32_t count) {
    ck_assert_int_eq(gjk_set_new(2, bodies, count, &set), GJK_OK);
}

static gjk_sweep sweep_from(double x, gjk_vec3 translation) {
    return (gjk_sweep){place(&ball, x, 0), translation};
}

static const gjk_filter *everybody(void) {
    static gjk_filter filter;
    filter = gjk_filter_default();
    return &filter;
}

static gjk_cast_hits cast_selected(const gjk_sweep *sweep, const gjk_selection *selection) {
    gjk_cast_hits hits;
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    ck_assert_int_eq(gjk_set_cast(&snapshot, sweep, selection, &settings, &hits), GJK_OK);
    const gjk_rigid_motion motion = gjk_rigid_motion_straight(sweep->translation);
    ck_assert_int_eq(gjk_set_cast_turning_any(&snapshot, &sweep->moving, &motion, selection,
                                              &settings),
                     hits.count > 0);
    return hits;
}

static gjk_cast_hits cast(const gjk_sweep *sweep, uint32_t limit) {
    const gjk_selection all = {.filter = everybody(), .limit = limit, .arena = &arena};
    return cast_selected(sweep, &all);
}

static void check_order(const gjk_cast_hits *hits, const char *order) {
    ck_assert_uint_eq(hits->count, strlen(order));
    for (uint32_t i = 0; i < hits->count; i++) {
        ck_assert_int_eq(hits->items[i].body->id[0], order[i]);
    }
}

/* Walls at 5 (twice), at 3 and behind; the ball of radius 1 starts at 0 and goes to 10. */
static void build_walls(void) {
    add(0, "c", place(&wall, 5, 0));
    add(1, "a", place(&wall, 5, 50));
    add(2, "d", place(&wall, 3, 0));
    add(3, "b", place(&wall, -5, 0));
    build(4);
}

TEST(hits_stand_by_fraction_then_id) {
    const gjk_sweep sweep = sweep_from(0, (gjk_vec3){10, 0, 0});
    build_walls();
    gjk_cast_hits hits = cast(&sweep, UINT32_MAX);
    check_order(&hits, "dac");
    ck_assert(!hits.truncated);
    ck_assert_double_eq_tol(hits.items[0].result.fraction, 0.2, 1e-12);
    ck_assert_double_eq_tol(hits.items[1].result.fraction, 0.4, 1e-12);
    ck_assert_double_eq(hits.items[1].result.fraction, hits.items[2].result.fraction);
    ck_assert_double_eq_tol(hits.items[2].result.normal.x, -1, 1e-12);
}

TEST(the_limit_keeps_the_first) {
    const gjk_sweep sweep = sweep_from(0, (gjk_vec3){10, 0, 0});
    build_walls();
    gjk_cast_hits one = cast(&sweep, 1), two = cast(&sweep, 2);
    gjk_cast_hits three = cast(&sweep, 3);
    check_order(&one, "d");
    check_order(&two, "da");
    check_order(&three, "dac");
    ck_assert(one.truncated && two.truncated && !three.truncated);
}

TEST(nothing_in_the_way) {
    const gjk_sweep up = sweep_from(0, (gjk_vec3){0, 10, 0});
    const gjk_sweep nowhere = sweep_from(0, (gjk_vec3){0, 0, 0});
    build_walls();
    gjk_cast_hits hits = cast(&up, 1);
    check_order(&hits, "");
    ck_assert(!hits.truncated);
    hits = cast(&nowhere, 1);
    check_order(&hits, "");
}

TEST(what_moves_never_hits_itself) {
    gjk_sweep sweep = sweep_from(0, (gjk_vec3){10, 0, 0});
    add(0, "s", place(&ball, 0, 0));
    add(1, "t", place(&ball, 1, 0));
    add(2, "u", place(&ball, 5, 0));
    build(3);
    gjk_cast_hits hits = cast(&sweep, UINT32_MAX);
    check_order(&hits, "stu"); /* a stranger at the same place */
    ck_assert(hits.items[0].result.inside && hits.items[1].result.inside);
    ck_assert_double_eq(hits.items[1].result.fraction, 0);
    const gjk_selection others = {.filter = everybody(),
                                  .except = gjk_set_find(set, "s"),
                                  .limit = UINT32_MAX,
                                  .arena = &arena};
    hits = cast_selected(&sweep, &others);
    check_order(&hits, "tu");
    sweep.moving = place(&ball, -20, 0); /* itself, started elsewhere */
    sweep.translation.x = 30;
    hits = cast_selected(&sweep, &others);
    check_order(&hits, "tu");
    ck_assert(!hits.items[0].result.inside);
}

TEST(the_filter_holds) {
    const gjk_sweep sweep = sweep_from(0, (gjk_vec3){10, 0, 0});
    static const char *const ignored[] = {"d"};
    gjk_filter filter = gjk_filter_default();
    const gjk_selection filtered = {.filter = &filter, .limit = UINT32_MAX, .arena = &arena};
    build_walls();
    filter.ignore = ignored;
    filter.ignore_count = 1;
    gjk_cast_hits hits = cast_selected(&sweep, &filtered);
    check_order(&hits, "ac");
    filter = gjk_filter_default();
    filter.mask = 2;
    hits = cast_selected(&sweep, &filtered);
    check_order(&hits, "");
}

/* BODIES balls anywhere, some of them at the same place. */
static void build_cloud(test_rng *rng) {
    static char ids[BODIES][8];
    for (uint32_t i = 0; i < BODIES; i++) {
        double x = test_rng_uniform(rng, -10, 10), y = test_rng_uniform(rng, -10, 10);
        snprintf(ids[i], sizeof ids[i], "b%u", test_rng_below(rng, 1000) * 100 + i);
        add(i, ids[i], place(&ball, x, y));
        if (i > 0 && i % 5 == 0) {
            bodies[i].placed = bodies[i - 1].placed;
        }
    }
    build(BODIES);
}

static bool stands_before(const gjk_cast_hit *p, const gjk_cast_hit *q) {
    return p->result.fraction < q->result.fraction ||
           (p->result.fraction == q->result.fraction && strcmp(p->body->id, q->body->id) < 0);
}

TEST(each_hit_is_what_the_cast_alone_says) {
    test_rng rng = test_rng_make(7);
    build_cloud(&rng);
    for (int k = 0; k < 50; k++) {
        gjk_vec3 way = {test_rng_uniform(&rng, -30, 30), test_rng_uniform(&rng, -30, 30), 0};
        const gjk_sweep sweep = sweep_from(test_rng_uniform(&rng, -15, 15), way);
        gjk_cast_hits all = cast(&sweep, UINT32_MAX);
        uint32_t hit = 0, limit = test_rng_below(&rng, 12) + 1;
        for (uint32_t i = 0; i < BODIES; i++) {
            hit += gjk_cast(&sweep.moving, way, &test_set_body(set, i)->placed, &settings).hit;
        }
        ck_assert_uint_eq(all.count, hit);
        for (uint32_t i = 0; i < all.count; i++) {
            const gjk_cast_result *found = &all.items[i].result;
            const gjk_body *body = all.items[i].body;
            gjk_cast_result alone = gjk_cast(&sweep.moving, way, &body->placed, &settings);
            ck_assert(i == 0 || stands_before(&all.items[i - 1], &all.items[i]));
            ck_assert_double_eq(alone.fraction, found->fraction);
            ck_assert_double_eq(alone.normal.x, found->normal.x);
            ck_assert_double_eq(alone.point.y, found->point.y);
        }
        gjk_cast_hits some = cast(&sweep, limit);
        ck_assert_int_eq(some.truncated, all.count > limit);
        for (uint32_t i = 0; i < some.count; i++) {
            ck_assert_ptr_eq(some.items[i].body, all.items[i].body);
        }
    }
}

TEST(memory_may_run_out) {
    const gjk_sweep sweep = sweep_from(0, (gjk_vec3){10, 0, 0});
    struct gjk_arena fresh;
    const gjk_selection all = {.filter = everybody(), .limit = 5, .arena = &fresh};
    gjk_cast_hits hits;
    build_walls();
    gjk_arena_init(&fresh, 0);
    test_malloc_fail(0);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    gjk_status status = gjk_set_cast(&snapshot, &sweep, &all, &settings, &hits);
    ck_assert(test_malloc_restore());
    ck_assert_int_eq(status, GJK_OUT_OF_MEMORY);
    gjk_arena_fini(&fresh);
}
