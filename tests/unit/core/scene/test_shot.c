/*
 * A scripted duel. Alice stands at the origin behind her own shield and shoots along +x. Bob, a
 * body and a head, is at (10, 0) at tick 10, walks to (10, 4) until tick 20, and teleports to
 * (10, -4) for tick 30. Carol stands at (20, 0) all the time, Dave from tick 20 on. Are the
 * verdicts those of a fair referee?
 */

#include "gjk/shot.h"

#include <string.h>

#include "failing_malloc.h"
#include "support/test.h"

static struct gjk_arena arena;
static gjk_shape disc, shield_shape, wall_shape;
static gjk_body now[8], later[8], latest[8];
static struct gjk_set *sets[3], *walls;
static struct gjk_history *history;

static gjk_body stand(const char *id, const char *group, const gjk_shape *shape, double x,
                      double y) {
    static const char *const ids[] = {"alice",    "alice/shield", "bob/body",
                                      "bob/head", "carol",        "dave"};
    gjk_body body = {.id = id, .group = group, .category = 1, .mask = UINT32_MAX};
    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        body.handle = strcmp(ids[i], id) == 0 ? i : body.handle;
    }
    body.placed.shape = shape;
    ck_assert_int_eq(gjk_pose_make2((gjk_vec2){x, y}, 0.0, &body.placed.pose), GJK_OK);
    return body;
}

/* Everybody, Bob at (10, y). Dave only from tick 20 on. */
static struct gjk_set *make_tick(gjk_body *bodies, double y, bool teleport, bool dave) {
    struct gjk_set *set = NULL;
    bodies[0] = stand("alice", "alice", &disc, 0, 0);
    bodies[1] = stand("alice/shield", "alice", &shield_shape, 1, 0);
    bodies[2] = stand("bob/body", "bob", &disc, 10, y);
    bodies[3] = stand("bob/head", "bob", &disc, 10, y + 0.75);
    bodies[4] = stand("carol", "carol", &disc, 20, 0);
    bodies[5] = stand("dave", NULL, &disc, -20, 0);
    bodies[2].teleport = bodies[3].teleport = teleport;
    ck_assert_int_eq(gjk_set_new(2, bodies, dave ? 6 : 5, &set), GJK_OK);
    return set;
}

static void set_up(void) {
    static const uint64_t ticks[3] = {10, 20, 30};
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 0.5, 0, &disc), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0.1, 1, 0}, 0, &shield_shape),
                     GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0.5, 3, 0}, 0, &wall_shape), GJK_OK);
    sets[0] = make_tick(now, 0, false, false);
    sets[1] = make_tick(later, 4, false, true);
    sets[2] = make_tick(latest, -4, true, true);
    history = gjk_history_new(8);
    for (int i = 0; i < 3; i++) {
        struct gjk_history *next = NULL;
        ck_assert_int_eq(gjk_history_add(history, ticks[i], sets[i], &next), GJK_OK);
        gjk_history_release(history);
        history = next;
    }
    walls = NULL;
}

static void tear_down(void) {
    gjk_history_release(history);
    for (int i = 0; i < 3; i++) {
        gjk_set_release(sets[i]);
    }
    gjk_set_release(walls);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

/* Alice shoots from the origin towards (x, y) at a tick, and claims somebody by id. */
static gjk_shot shoot(double tick, double x, double y, const char *claim) {
    gjk_shot shot = {
        .shooter = "alice",
        .claim_id = claim,
        .filter = gjk_filter_default(),
        .tolerance = GJK_TOLERANCE_DEFAULT,
        .max_iterations = GJK_ITERATIONS_DEFAULT,
        .age_ticks = 30 - tick,
        .max_rewind_ticks = INFINITY,
        .near_miss = -1,
        .near_miss_limit = UINT32_MAX,
    };
    gjk_rewound at = {0};
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){0, 0, 0}, (gjk_vec3){x, y, 0}, INFINITY, &shot.ray),
                     GJK_OK);
    shot.rewind = gjk_history_at(history, tick, &at);
    shot.snapshot = at.snapshot;
    return shot;
}

static gjk_judgement judge(const gjk_shot *shot) {
    gjk_judgement judgement;
    ck_assert_int_eq(gjk_shot_judge(shot, &arena, &judgement), GJK_OK);
    return judgement;
}

/* hit: the id of what was hit, or NULL. */
static gjk_judgement require_verdict(const gjk_shot *shot, gjk_verdict verdict, gjk_reason reason,
                                     const char *hit) {
    gjk_judgement judgement = judge(shot);
    ck_assert_str_eq(gjk_verdict_text(judgement.verdict), gjk_verdict_text(verdict));
    ck_assert_int_eq(judgement.reason, reason);
    ck_assert_int_eq(judgement.has_hit, hit != NULL);
    if (hit != NULL) {
        ck_assert_str_eq(judgement.hit.body->id, hit);
    }
    return judgement;
}

TEST(bob_is_hit_where_alice_saw_him) {
    gjk_shot shot = shoot(10, 1, 0, "bob/body");
    gjk_judgement judgement =
        require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    ck_assert(judgement.hit.result.distance == 9.5 && !judgement.has_obstacle);
    ck_assert_uint_eq(judgement.near_misses.count, 0);
    shot.claim_id = "bob/head";
    require_verdict(&shot, GJK_VERDICT_ADJUSTED, GJK_REASON_NONE, "bob/body");
    shot.claim_id = NULL;
    shot.claim_group = "bob";
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
}

TEST(half_way_he_is_half_way) {
    gjk_shot shot = shoot(15, 10, 2, "bob/body");
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    shot = shoot(15, 1, 0, "bob/body");
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET, "carol");
    shot = shoot(12.5, 10, 1, "bob/body");
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
}

TEST(who_teleports_is_never_in_between) {
    gjk_shot shot = shoot(25, 1, 0, "bob/body");
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET, "carol");
    shot = shoot(29.99, 10, 4, "bob/body");
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    shot = shoot(30, 10, -4, "bob/body");
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
}

TEST(something_else_first_or_nothing) {
    gjk_shot shot = shoot(10, 1, 0, "carol");
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET, "bob/body");
    shot = shoot(10, 0, 1, "carol");
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL);
    shot = shoot(10, 1, 0, "bob/body");
    shot.ray.max_distance = 9.4;
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL);
}

TEST(her_own_shield_is_in_the_way_of_others_only) {
    gjk_shot shot = shoot(10, 1, 0, "bob/body");
    shot.shooter = NULL;
    gjk_judgement judgement =
        require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET, "alice");
    ck_assert(judgement.hit.result.inside && judgement.hit.result.distance == 0);
    static const char *const carols[] = {"carol"};
    shot.shooter = "alice";
    shot.filter.ignore_groups = carols;
    shot.filter.ignore_groups_count = 1;
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
}

TEST(who_did_not_exist_then_cannot_be_claimed) {
    gjk_shot shot = shoot(15, 1, 0, "dave");
    shot.near_miss = 100;
    gjk_judgement judgement =
        require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_NO_TARGET, NULL);
    ck_assert_uint_eq(judgement.near_misses.count, 3); /* whatever the verdict */
    shot = shoot(20, -1, 0, "dave");
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "dave");
    shot.claim_id = NULL;
    shot.claim_group = "nobody's";
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_NO_TARGET, NULL);
    /* He has no group that another could be of. */
    shot = shoot(20, 1, 0, "dave");
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET, "carol");
}

TEST(moments_that_cannot_be_looked_at) {
    gjk_shot shot = shoot(9.9, 1, 0, "nobody");
    require_verdict(&shot, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_TICK_EXPIRED, NULL);
    shot = shoot(30.1, 1, 0, "bob/body");
    require_verdict(&shot, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_TICK_IN_FUTURE, NULL);
    shot = shoot(10, 1, 0, "bob/body");
    shot.max_rewind_ticks = 20;
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    shot.max_rewind_ticks = 19.5;
    require_verdict(&shot, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_REWIND_LIMIT, NULL);
}

/* A wall whose near side is at x. */
static gjk_shot shoot_at_wall(gjk_body *wall, double x, const char *group) {
    gjk_shot shot = shoot(10, 1, 0, "bob/body");
    gjk_set_release(walls);
    *wall = stand("wall", group, &wall_shape, x + 0.5, 0);
    ck_assert_int_eq(gjk_set_new(2, wall, 1, &walls), GJK_OK);
    return shot;
}

static void block(gjk_shot *shot, const gjk_obstacles *obstacles) {
    shot->obstacles = obstacles;
    shot->obstacles_count = 1;
}

TEST(a_wall_in_front_of_bob_blocks) {
    gjk_body wall;
    gjk_shot shot = shoot_at_wall(&wall, 5, NULL);
    gjk_obstacles obstacles = {.snapshot = gjk_snapshot_of(walls)};
    block(&shot, &obstacles);
    gjk_judgement judgement =
        require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_BLOCKED, "bob/body");
    ck_assert(judgement.has_obstacle && judgement.obstacle.body == &wall);
    ck_assert(judgement.obstacle.result.distance == 5);
    shot.claim_id = "carol"; /* the wall comes before the wrong target */
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_BLOCKED, "bob/body");

    shot = shoot_at_wall(&wall, 9.5, NULL); /* no farther */
    obstacles.snapshot = gjk_snapshot_of(walls);
    block(&shot, &obstacles);
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_BLOCKED, "bob/body");

    shot = shoot_at_wall(&wall, nextafter(9.5, 10), NULL); /* a little farther */
    obstacles.snapshot = gjk_snapshot_of(walls);
    block(&shot, &obstacles);
    judgement = require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    ck_assert(!judgement.has_obstacle);

    shot = shoot_at_wall(&wall, 5, "alice"); /* she brought it along */
    obstacles.snapshot = gjk_snapshot_of(walls);
    block(&shot, &obstacles);
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
}

TEST(a_wall_alone_is_no_hit_but_is_told) {
    gjk_body wall;
    gjk_shot shot = shoot_at_wall(&wall, 5, NULL);
    gjk_obstacles obstacles = {.snapshot = gjk_snapshot_of(walls)};
    block(&shot, &obstacles);
    shot.ray.max_distance = 9;
    gjk_judgement judgement = require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL);
    ck_assert(judgement.has_obstacle && judgement.obstacle.result.distance < 9);
    gjk_filter none = gjk_filter_default();
    none.has_only_groups = true; /* and none of them */
    obstacles.filter = &none;
    ck_assert(!require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL).has_obstacle);
    obstacles.rewind = GJK_REWIND_FUTURE;
    require_verdict(&shot, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_TICK_IN_FUTURE, NULL);
}

TEST(of_obstacles_of_several_sets_the_first_is_told) {
    static const double places[] = {7, 5, 5, 30};
    gjk_body bodies[4];
    struct gjk_set *blocks[4];
    gjk_obstacles obstacles[4] = {0};
    gjk_shot shot = shoot(10, 1, 0, "bob/body");
    for (uint32_t i = 0; i < 4; i++) {
        bodies[i] = stand("wall", NULL, &wall_shape, places[i] + 0.5, 0);
        ck_assert_int_eq(gjk_set_new(2, &bodies[i], 1, &blocks[i]), GJK_OK);
        obstacles[i].snapshot = gjk_snapshot_of(blocks[i]);
    }
    shot.obstacles = obstacles;
    shot.obstacles_count = 4;
    gjk_judgement judgement =
        require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_BLOCKED, "bob/body");
    ck_assert_uint_eq(judgement.obstacle_set, 1); /* of two equally near ones */
    ck_assert(judgement.obstacle.body == &bodies[1] && judgement.obstacle.result.distance == 5);
    shot.obstacles_count = 1;
    judgement = require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_BLOCKED, "bob/body");
    ck_assert(judgement.obstacle_set == 0 && judgement.obstacle.body == &bodies[0]);
    shot.obstacles = &obstacles[3]; /* behind him */
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    obstacles[2].rewind = GJK_REWIND_EXPIRED;
    shot.obstacles = obstacles;
    shot.obstacles_count = 3;
    judgement = require_verdict(&shot, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_TICK_EXPIRED, NULL);
    ck_assert(judgement.lacks_obstacles && judgement.obstacle_set == 2);
    shot.rewind = GJK_REWIND_FUTURE; /* its own set is looked at first */
    judgement = require_verdict(&shot, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_TICK_IN_FUTURE, NULL);
    ck_assert(!judgement.lacks_obstacles);
    for (uint32_t i = 0; i < 4; i++) {
        gjk_set_release(blocks[i]);
    }
}

TEST(without_a_claim_any_hit_confirms) {
    gjk_shot shot = shoot(10, 1, 0, NULL);
    require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    shot = shoot(10, 0, 1, NULL);
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL);
}

TEST(near_misses_in_order_and_with_their_border) {
    gjk_shot shot = shoot(20, 1, 0, "bob/body");
    shot.near_miss = 3.5;
    gjk_judgement judgement =
        require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET, "carol");
    ck_assert_uint_eq(judgement.near_misses.count, 1);
    ck_assert_str_eq(judgement.near_misses.items[0].body->id, "bob/body");
    ck_assert(judgement.near_misses.items[0].result.distance == 3.5);
    shot.near_miss = nextafter(3.5, 0);
    judgement = judge(&shot);
    ck_assert_uint_eq(judgement.near_misses.count, 0);
    shot.near_miss = 25;
    judgement = judge(&shot);
    ck_assert_uint_eq(judgement.near_misses.count, 3);
    ck_assert_str_eq(judgement.near_misses.items[1].body->id, "bob/head");
    ck_assert_str_eq(judgement.near_misses.items[2].body->id, "dave");
    ck_assert(judgement.near_misses.items[2].result.distance == 19.5);
    shot.near_miss_limit = 2;
    judgement = judge(&shot);
    ck_assert(judgement.near_misses.count == 2 && judgement.near_misses.truncated);
    shot.near_miss = 0;
    shot.near_miss_limit = UINT32_MAX;
    shot.ray.max_distance = 10;
    judgement = require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL);
    ck_assert_uint_eq(judgement.near_misses.count, 0);
    shot.near_miss = 9.5; /* the ray ends at (10, 0): Carol is as far as that */
    judgement = judge(&shot);
    ck_assert_uint_eq(judgement.near_misses.count, 3);
    ck_assert_str_eq(judgement.near_misses.items[2].body->id, "carol");
}

TEST(a_ball_hits_what_a_ray_misses) {
    gjk_shot shot = shoot(15, 1, 0, "bob/body");
    shot.radius = 1.4;
    gjk_judgement judgement = judge(&shot);
    ck_assert_str_eq(judgement.hit.body->id, "carol");
    ck_assert(fabs(judgement.hit.result.distance - 18.1) < 1e-12);
    shot.radius = 1.6; /* Bob is 2 off the line, his half unit nearer */
    judgement = require_verdict(&shot, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE, "bob/body");
    ck_assert(fabs(judgement.hit.result.distance - (10 - sqrt(2.1 * 2.1 - 4))) < 1e-12);
    shot.ray.max_distance = 9;
    require_verdict(&shot, GJK_VERDICT_DENIED, GJK_REASON_MISS, NULL);
}

TEST(without_memory_there_is_no_verdict) {
    gjk_body wall;
    gjk_shot shot = shoot_at_wall(&wall, 5, NULL);
    gjk_obstacles obstacles = {.snapshot = gjk_snapshot_of(walls)};
    block(&shot, &obstacles);
    shot.near_miss = 100;
    shot.radius = 0.1;
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        struct gjk_arena small;
        gjk_judgement judgement;
        gjk_arena_init(&small, 0);
        test_malloc_fail(n);
        gjk_status status = gjk_shot_judge(&shot, &small, &judgement);
        failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        gjk_arena_fini(&small);
    }
}
