/*
 * Does a query through the tree say to the bit what a scan of the same set says (which
 * test_set_query.c holds against naive loops), in scenes of every kind, after any edits?
 */

#include "support/test.h"
#include "tree_scene.h"

#include <string.h>

#define SCENES 150

/* Answers of structs without padding that matters would compare by memcmp; these have some. */
static bool same3(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_detect(const gjk_detect_result *p, const gjk_detect_result *q) {
    return p->state == q->state && p->convergence == q->convergence &&
           p->iterations == q->iterations && p->depth == q->depth &&
           p->depth_lower_bound == q->depth_lower_bound && same3(p->normal, q->normal) &&
           same3(p->point_a, q->point_a) && same3(p->point_b, q->point_b);
}

/* What both ways are asked with. */
typedef struct test_both {
    gjk_snapshot tree, scan;
    gjk_selection selection;
    double tolerance;
    uint32_t max_iterations;
} test_both;

static void compare_detect(const test_both *both, const gjk_placed *a) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_hits p, q;
    settings.tolerance = both->tolerance;
    settings.max_iterations = both->max_iterations;
    ck_assert_int_eq(gjk_set_detect(&both->tree, a, &both->selection, &settings, &p), GJK_OK);
    ck_assert_int_eq(gjk_set_detect(&both->scan, a, &both->selection, &settings, &q), GJK_OK);
    ck_assert_uint_eq(p.count, q.count);
    ck_assert_int_eq(p.truncated, q.truncated);
    for (uint32_t i = 0; i < p.count; i++) {
        ck_assert_ptr_eq(p.items[i].body, q.items[i].body);
        ck_assert(same_detect(&p.items[i].result, &q.items[i].result));
    }
}

static void compare_pairs(const test_both *both, const gjk_snapshot *other) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_pair_hits p, q;
    settings.tolerance = both->tolerance;
    settings.max_iterations = both->max_iterations;
    const gjk_selection *s = &both->selection;
    if (other == NULL) {
        ck_assert_int_eq(gjk_set_detect_pairs(&both->tree, s, &settings, &p), GJK_OK);
        ck_assert_int_eq(gjk_set_detect_pairs(&both->scan, s, &settings, &q), GJK_OK);
    } else {
        gjk_snapshot scan = *other;
        scan.tree = NULL;
        ck_assert_int_eq(gjk_set_detect_against(&both->tree, other, s, &settings, &p), GJK_OK);
        ck_assert_int_eq(gjk_set_detect_against(&both->scan, &scan, s, &settings, &q), GJK_OK);
    }
    ck_assert_uint_eq(p.count, q.count);
    ck_assert_int_eq(p.truncated, q.truncated);
    for (uint32_t i = 0; i < p.count; i++) {
        ck_assert_ptr_eq(p.items[i].a, q.items[i].a);
        ck_assert_ptr_eq(p.items[i].b, q.items[i].b);
        ck_assert(same_detect(&p.items[i].result, &q.items[i].result));
    }
}

static void compare_nearest(const test_both *both, const gjk_placed *a, double max_distance) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_nears p, q;
    settings.tolerance = both->tolerance;
    settings.max_iterations = both->max_iterations;
    ck_assert_int_eq(gjk_set_nearest(&both->tree, a, max_distance, &both->selection, &settings, &p),
                     GJK_OK);
    ck_assert_int_eq(gjk_set_nearest(&both->scan, a, max_distance, &both->selection, &settings, &q),
                     GJK_OK);
    ck_assert_uint_eq(p.count, q.count);
    ck_assert_int_eq(p.truncated, q.truncated);
    for (uint32_t i = 0; i < p.count; i++) {
        const gjk_distance_result *r = &p.items[i].result, *t = &q.items[i].result;
        ck_assert_ptr_eq(p.items[i].body, q.items[i].body);
        ck_assert_int_eq(r->state, t->state);
        ck_assert_uint_eq(r->iterations, t->iterations);
        ck_assert(r->distance == t->distance && r->lower_bound == t->lower_bound);
        ck_assert(same3(r->normal, t->normal) && same3(r->point_a, t->point_a));
    }
}

static void compare_raycast(const test_both *both, const gjk_ray *ray, bool solid) {
    gjk_ray_settings settings = {.tolerance = both->tolerance,
                                 .max_iterations = both->max_iterations,
                                 .solid = solid};
    gjk_ray_hits p, q;
    ck_assert_int_eq(gjk_set_raycast(&both->tree, ray, &both->selection, &settings, &p), GJK_OK);
    ck_assert_int_eq(gjk_set_raycast(&both->scan, ray, &both->selection, &settings, &q), GJK_OK);
    ck_assert_uint_eq(p.count, q.count);
    ck_assert_int_eq(p.truncated, q.truncated);
    for (uint32_t i = 0; i < p.count; i++) {
        const gjk_ray_result *r = &p.items[i].result, *t = &q.items[i].result;
        ck_assert_ptr_eq(p.items[i].body, q.items[i].body);
        ck_assert(r->hit == t->hit && r->inside == t->inside && r->iterations == t->iterations);
        ck_assert(r->distance == t->distance && same3(r->point, t->point));
        ck_assert(same3(r->normal, t->normal));
    }
    ck_assert_int_eq(gjk_set_raycast_any(&both->tree, ray, &both->selection, &settings),
                     q.count > 0);
}

static void compare_cast(const test_both *both, const gjk_sweep *sweep) {
    const gjk_cast_settings settings = {.tolerance = both->tolerance,
                                        .max_iterations = both->max_iterations};
    gjk_cast_hits p, q;
    ck_assert_int_eq(gjk_set_cast(&both->tree, sweep, &both->selection, &settings, &p), GJK_OK);
    ck_assert_int_eq(gjk_set_cast(&both->scan, sweep, &both->selection, &settings, &q), GJK_OK);
    ck_assert_uint_eq(p.count, q.count);
    ck_assert_int_eq(p.truncated, q.truncated);
    for (uint32_t i = 0; i < p.count; i++) {
        const gjk_cast_result *r = &p.items[i].result, *t = &q.items[i].result;
        ck_assert_ptr_eq(p.items[i].body, q.items[i].body);
        ck_assert(r->hit == t->hit && r->inside == t->inside && r->iterations == t->iterations);
        ck_assert(r->fraction == t->fraction && r->distance == t->distance);
        ck_assert(same3(r->point, t->point) && same3(r->normal, t->normal));
    }
    const gjk_rigid_motion motion = gjk_rigid_motion_straight(sweep->translation);
    ck_assert_int_eq(gjk_set_cast_turning_any(&both->tree, &sweep->moving, &motion,
                                              &both->selection, &settings),
                     q.count > 0);
}

/* A ray between two places of the scene, short of the second, just there, or through it. */
static gjk_ray random_ray(test_rng *rng, test_tree_scene *s) {
    gjk_vec3 from = test_tree_place(rng, s), to = test_tree_place(rng, s);
    gjk_vec3 way = gjk_sub3(to, from);
    gjk_ray ray;
    double reach = gjk_length3(way);
    if (test_rng_once_in(rng, 6) || !(reach > 0.0)) { /* along an axis: grazes what stands on it */
        way = (gjk_vec3){test_rng_once_in(rng, 2) ? 1 : -1, 0, 0};
    }
    const double reaches[] = {INFINITY, reach, 0.5 * reach, 0.0};
    ck_assert_int_eq(gjk_ray_make(from, way, reaches[test_rng_below(rng, 4)], &ray), GJK_OK);
    return ray;
}

static void choose_settings(test_rng *rng, test_both *both) {
    static const double tolerances[] = {GJK_TOLERANCE_DEFAULT, GJK_TOLERANCE_MAX, 1e-5, 1e-14};
    static const uint32_t limits[] = {UINT32_MAX, 1, 2, 7};
    both->tolerance = tolerances[test_rng_below(rng, 4)];
    both->max_iterations = test_rng_once_in(rng, 4) ? GJK_ITERATIONS_MIN : GJK_ITERATIONS_DEFAULT;
    both->selection.limit = limits[test_rng_below(rng, 4)];
    both->selection.rest_unasked = false;
}

static void compare(test_rng *rng, test_tree_scene *s, struct gjk_set *other, int questions) {
    gjk_filter filter = test_random_filter(rng);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    test_both both = {.tree = gjk_snapshot_of(s->set), .scan = gjk_snapshot_of(s->set)};
    both.scan.tree = NULL;
    both.selection = (gjk_selection){.filter = &filter, .arena = &arena};
    ck_assert(gjk_set_count(s->set) == 0 || both.tree.tree != NULL);
    for (int i = 0; i < questions; i++) {
        choose_settings(rng, &both);
        const gjk_body *a = test_tree_body(rng, s);
        both.selection.except = test_rng_once_in(rng, 2) ? a : NULL;
        compare_detect(&both, &a->placed);
        compare_nearest(&both, &a->placed, test_rng_once_in(rng, 2) ? INFINITY : s->spread * 0.1);
        gjk_ray ray = random_ray(rng, s);
        compare_raycast(&both, &ray, test_rng_once_in(rng, 2));
        gjk_sweep sweep = {a->placed, gjk_sub3(test_tree_place(rng, s), a->placed.pose.position)};
        compare_cast(&both, &sweep);
    }
    choose_settings(rng, &both);
    if (gjk_set_count(s->set) <= 70) {
        gjk_snapshot there = gjk_snapshot_of(other);
        compare_pairs(&both, NULL);
        compare_pairs(&both, &there);
    }
    gjk_arena_fini(&arena);
}

TEST_EACH(as_a_scan, 0, 4) {
    static test_tree_scene here, there;
    test_rng rng = test_rng_make(2100 + (uint64_t)_i);
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    for (int i = 0; i < SCENES; i++) {
        enum test_tree_kind kind = (enum test_tree_kind)(i % TEST_TREE_KINDS);
        test_tree_scene_make(&rng, dimension, kind, test_tree_size(&rng), &here);
        test_tree_scene_make(&rng, dimension, kind, test_rng_below(&rng, 40), &there);
        compare(&rng, &here, there.set, 8);
        test_tree_scene_drop(&here);
        test_tree_scene_drop(&there);
    }
}

TEST_EACH(as_a_scan_after_edits, 0, 4) {
    static test_tree_scene s;
    test_rng rng = test_rng_make(2200 + (uint64_t)_i);
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    for (int i = 0; i < SCENES / 10; i++) {
        enum test_tree_kind kind = (enum test_tree_kind)(i % TEST_TREE_KINDS);
        test_tree_scene_make(&rng, dimension, kind, test_rng_below(&rng, 70), &s);
        for (int round = 0; round < 25; round++) {
            struct gjk_set *before = gjk_set_retain(s.set);
            test_tree_scene_edit(&rng, &s);
            compare(&rng, &s, before, 2);
            gjk_set_release(before);
        }
        test_tree_scene_drop(&s);
    }
}

TEST_EACH(large_scenes, 0, 2) {
    static test_tree_scene s;
    test_rng rng = test_rng_make(2300 + (uint64_t)_i);
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    for (int i = 0; i < TEST_TREE_KINDS; i++) {
        test_tree_scene_make(&rng, dimension, (enum test_tree_kind)i, 1000, &s);
        compare(&rng, &s, s.set, 4);
        for (int round = 0; round < 30; round++) {
            test_tree_scene_edit(&rng, &s);
        }
        compare(&rng, &s, s.set, 4);
        test_tree_scene_drop(&s);
    }
}
