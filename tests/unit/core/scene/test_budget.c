/*
 * Does work on a set end when its budget is spent, and does a limit bound it where everything
 * collides with everything? The budget is asked each GJK_BUDGET_STEPS steps, of which a body that
 * is looked at and asked takes some, which makes it the measure.
 */

#include "gjk/configuration.h"
#include "gjk/shot.h"

#include <math.h>
#include <stdio.h>

#include "support/budget.h"
#include "support/rng.h"
#include "support/test.h"

#define BODIES 20000

static struct gjk_arena arena;
static gjk_shape ball;
static gjk_body bodies[BODIES];
static struct gjk_set *set;
static gjk_filter filter;

static void keep_nothing(const gjk_body *body) {
    (void)body;
}
static const gjk_body_callbacks borrowed = {keep_nothing, keep_nothing};

static void make_set(const char *group) {
    static char ids[BODIES][8];
    static gjk_edit edits[BODIES];
    struct gjk_set *empty = gjk_set_new_empty(3, &borrowed);
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 1, 0, &ball), GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%06u", i);
        bodies[i] = (gjk_body){.id = ids[i],
                               .group = group,
                               .handle = i,
                               .category = 1,
                               .mask = UINT32_MAX,
                               .placed = {&ball, gjk_pose_identity()}};
        edits[i] = (gjk_edit){ids[i], &bodies[i]};
    }
    filter = gjk_filter_default();
    ck_assert_int_eq(gjk_set_edit(empty, edits, BODIES, &set), GJK_OK);
    gjk_set_release(empty);
}

static void tear_down(void) {
    gjk_set_release(set);
    set = NULL;
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(NULL, tear_down)

static gjk_selection select_with(gjk_budget *budget, uint32_t limit) {
    return (gjk_selection){.filter = &filter, .limit = limit, .arena = &arena, .budget = budget};
}

static gjk_status judge(const gjk_snapshot *snapshot, const gjk_ray *ray, gjk_budget *budget) {
    const gjk_shot shot = {.ray = *ray,
                           .claim_id = bodies[0].id,
                           .filter = filter,
                           .tolerance = GJK_TOLERANCE_DEFAULT,
                           .max_iterations = 100,
                           .snapshot = *snapshot,
                           .max_rewind_ticks = INFINITY,
                           .near_miss = -1,
                           .budget = budget};
    gjk_judgement judgement;
    return gjk_shot_judge(&shot, &arena, &judgement);
}

TEST(work_ends_with_budget) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_ray_settings ray_settings = gjk_ray_settings_default();
    const gjk_cast_settings cast_settings = gjk_cast_settings_default();
    gjk_ray ray;
    gjk_hits hits;
    gjk_pair_hits pairs;
    gjk_nears nears;
    gjk_pair_nears pair_nears;
    gjk_ray_hits ray_hits;
    gjk_cast_hits cast_hits;
    make_set("one");
    ck_assert_int_eq(gjk_ray_make((gjk_vec3){0, 0, 0}, (gjk_vec3){1, 0, 0}, 5, &ray), GJK_OK);
    const gjk_sweep sweep = {bodies[0].placed, {1, 0, 0}};
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(sweep.translation);
    for (int with_tree = 0; with_tree < 2; with_tree++) {
        gjk_snapshot snapshot = gjk_snapshot_of(set);
        snapshot.tree = with_tree ? snapshot.tree : NULL;
        for (int kind = 0; kind < 10; kind++) {
            test_budget left = {0, 3};
            gjk_budget budget = gjk_budget_make(test_is_over, &left);
            const gjk_selection s = select_with(&budget, UINT32_MAX);
            gjk_status status = GJK_OK;
            switch (kind) {
            case 0:
                status = gjk_set_detect(&snapshot, &bodies[0].placed, &s, &detect, &hits);
                break;
            case 1: /* of one group: no pair ends it */
                status = gjk_set_detect_pairs(&snapshot, &s, &detect, &pairs);
                break;
            case 2:
                status = gjk_set_detect_against(&snapshot, &snapshot, &s, &detect, &pairs);
                break;
            case 3:
                status =
                    gjk_set_nearest(&snapshot, &bodies[0].placed, INFINITY, &s, &distance, &nears);
                break;
            case 4:
                status = gjk_set_raycast(&snapshot, &ray, &s, &ray_settings, &ray_hits);
                break;
            case 5:
                status = gjk_set_cast(&snapshot, &sweep, &s, &cast_settings, &cast_hits);
                break;
            case 9:
                status = gjk_set_near_pairs(&snapshot, 1.0, &s, &distance, &pair_nears);
                break;
            case 6: /* nobody is hit from inside */
                ray_settings.solid = false;
                ck_assert(!gjk_set_raycast_any(&snapshot, &ray, &s, &ray_settings));
                ray_settings.solid = true;
                break;
            case 7:
                filter.mask = 2;
                ck_assert(!gjk_set_cast_turning_any(&snapshot, &sweep.moving, &straight, &s,
                                                    &cast_settings));
                filter.mask = UINT32_MAX;
                break;
            default:
                status = judge(&snapshot, &ray, &budget);
            }
            ck_assert_msg(kind == 6 || kind == 7 || status == GJK_GIVEN_UP, "kind %d", kind);
            ck_assert_uint_ge(left.asked, 3);
            ck_assert_uint_le(left.asked, 6); /* and not many times after it said so */
        }
    }
}

TEST(a_row_of_configurations_ends_with_budget) {
    make_set(NULL);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_body *moved[] = {&bodies[0]};
    const gjk_configuration_settings settings = {.moved = moved,
                                                 .count = 1,
                                                 .distance = true,
                                                 .threshold = INFINITY,
                                                 .tolerance = GJK_TOLERANCE_DEFAULT,
                                                 .max_iterations = GJK_ITERATIONS_DEFAULT};
    struct gjk_configurations *rows;
    ck_assert_int_eq(gjk_configurations_new(&snapshot, &settings, &arena, &rows), GJK_OK);
    for (int enough = 0; enough < 2; enough++) {
        test_budget left = {0, enough ? UINT32_MAX : 3};
        gjk_budget budget = gjk_budget_make(test_is_over, &left);
        struct gjk_arena room;
        gjk_pair_nears nears;
        gjk_arena_init(&room, 0);
        room.budget = &budget;
        ck_assert_int_eq(gjk_configuration_nearest(rows, &bodies[0].placed.pose, 10, &room, &nears),
                         enough ? GJK_OK : GJK_GIVEN_UP);
        ck_assert(enough ? nears.count == 10 && nears.truncated : left.asked <= 6);
        ck_assert(!enough || nears.items[9].b == &bodies[10]);
        gjk_arena_fini(&room);
    }
}

TEST(a_limit_bounds_the_work) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    make_set(NULL);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    test_budget left = {0, UINT32_MAX};
    gjk_budget budget = gjk_budget_make(test_is_over, &left);
    const gjk_selection ten = select_with(&budget, 10);
    gjk_pair_hits pairs;
    gjk_hits hits;
    ck_assert_int_eq(gjk_set_detect_pairs(&snapshot, &ten, &settings, &pairs), GJK_OK);
    ck_assert(pairs.count == 10 && pairs.truncated);
    ck_assert_int_eq(gjk_set_detect_against(&snapshot, &snapshot, &ten, &settings, &pairs), GJK_OK);
    ck_assert(pairs.count == 10 && pairs.truncated);
    ck_assert_int_eq(gjk_set_detect(&snapshot, &bodies[0].placed, &ten, &settings, &hits), GJK_OK);
    ck_assert(hits.count == 10 && hits.truncated);
    ck_assert_ptr_eq(hits.items[9].body, &bodies[9]);
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_pair_nears nears;
    ck_assert_int_eq(gjk_set_near_pairs(&snapshot, 0.5, &ten, &distance, &nears), GJK_OK);
    ck_assert(nears.count == 10 && nears.truncated);
    /* a few times the set, far from its square */
    ck_assert_uint_le(left.asked, 128 * BODIES / GJK_BUDGET_STEPS);
}

/* Pairs of two sets of bodies that are apart: the limit ends the search soon, and so does a second
 * set that has few bodies near the first, even those that come last. */
TEST(few_pairs_of_two_sets_cost_little) {
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const uint32_t others[][3] = {{0, BODIES, 10}, {BODIES - 10, 10, 10}, {BODIES / 2, 10, 8}};
    make_set(NULL);
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i].placed.pose.position.x = 3.0 * i;
    }
    struct gjk_set *first;
    ck_assert_int_eq(gjk_set_new_indexed(3, bodies, BODIES, &first), GJK_OK);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t from = others[i][0], limit = others[i][2];
        struct gjk_set *second;
        test_budget left = {0, UINT32_MAX};
        gjk_budget budget = gjk_budget_make(test_is_over, &left);
        const gjk_selection few = select_with(&budget, limit);
        ck_assert_int_eq(gjk_set_new_indexed(3, bodies + from, others[i][1], &second), GJK_OK);
        const gjk_snapshot a = gjk_snapshot_of(first), b = gjk_snapshot_of(second);
        gjk_pair_nears nears;
        gjk_pair_hits hits;
        ck_assert_int_eq(gjk_set_near_pairs_against(&a, &b, 0.5, &few, &distance, &nears), GJK_OK);
        ck_assert_int_eq(gjk_set_detect_against(&a, &b, &few, &distance, &hits), GJK_OK);
        ck_assert(nears.count == limit && hits.count == limit);
        ck_assert(nears.truncated == (i != 1) && hits.truncated == nears.truncated);
        for (uint32_t k = 0; k < limit; k++) {
            ck_assert(nears.items[k].a == &bodies[from + k] && hits.items[k].a == nears.items[k].a);
            ck_assert(nears.items[k].b == nears.items[k].a && hits.items[k].b == nears.items[k].a);
        }
        /* far from a step for each body of the first set */
        ck_assert_uint_le(left.asked, BODIES / 2 / GJK_BUDGET_STEPS);
        gjk_set_release(second);
    }
    gjk_set_release(first);
}

/* An edit that is given up changes nothing and leaves nothing behind. */
TEST(edits_end_with_budget) {
    static gjk_edit edits[BODIES];
    struct gjk_set *empty = gjk_set_new_empty(3, &borrowed), *next = NULL;
    make_set("one");
    for (uint32_t i = 0; i < BODIES; i++) {
        edits[i] = (gjk_edit){bodies[i].id, &bodies[i]};
    }
    const struct gjk_set *from[] = {empty, set};
    for (int i = 0; i < 2; i++) {
        test_budget left = {0, UINT32_MAX};
        gjk_budget budget = gjk_budget_make(test_is_over, &left);
        ck_assert_int_eq(gjk_set_edit_within(from[i], edits, BODIES, &budget, &next), GJK_OK);
        gjk_set_release(next);
        const uint32_t all = left.asked;
        ck_assert_uint_ge(all, 50);
        for (uint32_t ends_at = 1; ends_at <= all; ends_at += all / 10) {
            left = (test_budget){0, ends_at};
            budget = gjk_budget_make(test_is_over, &left);
            next = NULL;
            ck_assert_int_eq(gjk_set_edit_within(from[i], edits, BODIES, &budget, &next),
                             GJK_GIVEN_UP);
            ck_assert_ptr_null(next);
            ck_assert_uint_le(left.asked, ends_at + 1);
        }
    }
    ck_assert_uint_eq(gjk_set_count(empty), 0);
    gjk_set_release(empty);
}

/* Some of many bodies that overlap are moved or removed. If each were sought by its box, the first
 * pass of the tree would take as many tests as there are pairs. */
TEST(moves_of_overlapping_bodies_end_with_budget) {
    enum { MOVED = BODIES / 5 };
    static gjk_body moved[MOVED];
    static gjk_body spread[BODIES];
    static gjk_edit edits[BODIES];
    struct gjk_set *empty = gjk_set_new_empty(3, &borrowed), *crowd = NULL, *next = NULL;
    test_rng rng = test_rng_make(48);
    make_set(NULL);
    for (uint32_t i = 0; i < BODIES; i++) { /* so that ranges of handles do not tell them apart */
        gjk_vec3 *at = &spread[i].placed.pose.position;
        spread[i] = bodies[i];
        *at = (gjk_vec3){test_rng_uniform(&rng, -0.5, 0.5), test_rng_uniform(&rng, -0.5, 0.5),
                         test_rng_uniform(&rng, -0.5, 0.5)};
        edits[i] = (gjk_edit){bodies[i].id, &spread[i]};
    }
    ck_assert_int_eq(gjk_set_edit(empty, edits, BODIES, &crowd), GJK_OK);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MOVED; i++) {
            const uint32_t at = test_rng_below(&rng, 5) + 5 * i;
            moved[i] = spread[at];
            moved[i].placed.pose.position.x += 0.001;
            edits[i] = (gjk_edit){bodies[at].id, round == 0 ? &moved[i] : NULL};
        }
        test_budget left = {0, UINT32_MAX};
        gjk_budget budget = gjk_budget_make(test_is_over, &left);
        ck_assert_int_eq(gjk_set_edit_within(crowd, edits, MOVED, &budget, &next), GJK_OK);
        gjk_set_release(next);
        const uint32_t all = left.asked, before = MOVED * 64 / GJK_BUDGET_STEPS;
        ck_assert_uint_gt(all, before + 4); /* the tree asks too, not only each edit */
        ck_assert_uint_le(all, 64 * BODIES / GJK_BUDGET_STEPS);
        for (uint32_t ends_at = 1; ends_at <= all; ends_at++) {
            left = (test_budget){0, ends_at};
            budget = gjk_budget_make(test_is_over, &left);
            next = NULL;
            ck_assert_int_eq(gjk_set_edit_within(crowd, edits, MOVED, &budget, &next),
                             GJK_GIVEN_UP);
            ck_assert_ptr_null(next);
            ck_assert_uint_le(left.asked, ends_at + 1);
        }
    }
    ck_assert_uint_eq(gjk_set_count(crowd), BODIES);
    gjk_set_release(crowd);
    gjk_set_release(empty);
}

/* A convex pair asks by itself, in proportion to the vertices that its iterations scan. */
TEST(a_pair_ends_with_its_budget) {
    enum { POINTS = 20000 };
    static gjk_vec3 points[POINTS];
    gjk_shape hull, ellipsoid;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < POINTS; i++) {
        const double z = 1 - (2 * i + 1) / (double)POINTS, flat = sqrt(1 - z * z);
        points[i] = (gjk_vec3){flat * cos(2.399963 * i), flat * sin(2.399963 * i), z};
    }
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, points, POINTS, 0, &hull), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ellipse(3, (gjk_vec3){1, 2, 3}, 0, &ellipsoid), GJK_OK);
    const gjk_shape *shapes[] = {&hull, &ellipsoid};
    const gjk_rigid_motion turn = {.translation = {9, 0, 0}, .axis = {0, 0, 1}, .angle = 3};
    for (int i = 0; i < 2; i++) {
        test_budget left = {0, 1};
        gjk_budget budget = gjk_budget_make(test_is_over, &left);
        gjk_placed a = {shapes[i], gjk_pose_identity()}, b = {&hull, gjk_pose_identity()};
        b.pose.position = (gjk_vec3){0.1, 0.2, 0.3};
        gjk_detect_settings detect = gjk_detect_settings_default();
        detect.budget = &budget;
        ck_assert(gjk_detect(&a, &b, &detect).given_up);
        b.pose.position.x = 8;
        budget = gjk_budget_make(test_is_over, &left);
        gjk_distance_settings distance = gjk_distance_settings_default();
        distance.budget = &budget;
        ck_assert(gjk_distance(&a, &b, &distance).given_up);
        budget = gjk_budget_make(test_is_over, &left);
        gjk_cast_settings cast = gjk_cast_settings_default();
        cast.budget = &budget;
        ck_assert(gjk_cast(&a, (gjk_vec3){9, 0, 0}, &b, &cast).given_up);
        budget = gjk_budget_make(test_is_over, &left);
        ck_assert(gjk_cast_turning(&a, &turn, &b, &cast).given_up);
        ck_assert_uint_eq(left.asked, 4); /* and not once more after it said so */
    }
}
