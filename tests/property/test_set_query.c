/*
 * Does a set query say of every body what the pair query or the ray says, to the bit,
 * in the promised order, with the promised limit? Compared with loops that know
 * nothing better than to ask and sort.
 */

#include "set_body.h"
#include "set_scene.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENES 40

static bool in_list(const char *text, const char *const *list, uint32_t count) {
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found = found || (text != NULL && strcmp(text, list[i]) == 0);
    }
    return found;
}

static bool passes(const gjk_filter *f, const gjk_body *b) {
    bool accepted = (b->category & f->mask) && (f->category & b->mask);
    bool out = in_list(b->id, f->ignore, f->ignore_count) ||
               in_list(b->group, f->ignore_groups, f->ignore_groups_count);
    bool in = !f->has_only_groups || in_list(b->group, f->only_groups, f->only_groups_count);
    return accepted && !out && in;
}

static bool pair_passes(const gjk_filter *f, const gjk_body *a, const gjk_body *b) {
    return passes(f, a) && passes(f, b) && (a->category & b->mask) && (b->category & a->mask);
}

static bool same_vec(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_detect(const gjk_detect_result *p, const gjk_detect_result *q) {
    return p->state == q->state && p->convergence == q->convergence &&
           p->iterations == q->iterations && p->has_points == q->has_points &&
           p->depth == q->depth && p->depth_lower_bound == q->depth_lower_bound &&
           same_vec(p->normal, q->normal) && same_vec(p->point_a, q->point_a) &&
           same_vec(p->point_b, q->point_b);
}

static bool same_distance(const gjk_distance_result *p, const gjk_distance_result *q) {
    return p->state == q->state && p->convergence == q->convergence &&
           p->iterations == q->iterations && p->has_points == q->has_points &&
           p->distance == q->distance && p->lower_bound == q->lower_bound &&
           same_vec(p->normal, q->normal) && same_vec(p->point_a, q->point_a) &&
           same_vec(p->point_b, q->point_b);
}

static bool same_ray(const gjk_ray_result *p, const gjk_ray_result *q) {
    return p->hit == q->hit && p->inside == q->inside && p->has_normal == q->has_normal &&
           p->convergence == q->convergence && p->iterations == q->iterations &&
           p->distance == q->distance && same_vec(p->point, q->point) &&
           same_vec(p->normal, q->normal);
}

/* N - 1, N, N + 1, 1 and all. */
static uint32_t limit_of(int kind, uint32_t expected) {
    const uint32_t limits[] = {expected > 1 ? expected - 1 : 1, expected > 0 ? expected : 1,
                               expected + 1, 1, UINT32_MAX};
    return limits[kind];
}
enum { LIMITS = 5 };

static void require_count(uint32_t count, bool truncated, uint32_t expected, uint32_t limit) {
    ck_assert_uint_eq(count, expected < limit ? expected : limit);
    ck_assert_int_eq(truncated, expected > limit);
}

static void check_detect(test_rng *rng, test_scene *s, const gjk_filter *f) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_snapshot snapshot = gjk_snapshot_of(s->set);
    uint32_t expected = 0;
    const gjk_body *body[BODIES_MAX];
    gjk_detect_result result[BODIES_MAX];
    const gjk_body *except = s->count > 0 ? &s->bodies[test_rng_below(rng, s->count)] : NULL;
    test_body a = test_random_body(rng, s->dimension, 1.0);
    test_body_build(&a, &s->arena);
    for (uint32_t i = 0; i < s->count; i++) {
        const gjk_body *b = test_set_body(s->set, i);
        gjk_detect_result r = gjk_detect(&a.placed, &b->placed, &settings);
        if (b != except && passes(f, b) && r.state != GJK_SEPARATED) {
            body[expected] = b;
            result[expected++] = r;
        }
    }
    for (int kind = 0; kind < LIMITS; kind++) {
        gjk_hits hits;
        uint32_t limit = limit_of(kind, expected);
        const gjk_selection selection = {.filter = f,
                                         .except = except,
                                         .limit = limit,
                                         .arena = &s->arena};
        ck_assert_int_eq(gjk_set_detect(&snapshot, &a.placed, &selection, &settings, &hits),
                         GJK_OK);
        require_count(hits.count, hits.truncated, expected, limit);
        for (uint32_t i = 0; i < hits.count; i++) {
            ck_assert_ptr_eq(hits.items[i].body, body[i]);
            ck_assert(same_detect(&hits.items[i].result, &result[i]));
        }
    }
}

/* Pairs of one set (other NULL) or of two, in the order of a, then b. */
static void check_pairs(test_scene *s, const test_scene *other, const gjk_filter *f) {
    static gjk_pair_hit expected[BODIES_MAX * BODIES_MAX];
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_snapshot snapshot = gjk_snapshot_of(s->set);
    const struct gjk_set *with = other != NULL ? other->set : s->set;
    const gjk_snapshot there = gjk_snapshot_of(with);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = other != NULL ? 0 : i + 1; k < gjk_set_count(with); k++) {
            const gjk_body *a = test_set_body(s->set, i), *b = test_set_body(with, k);
            bool mates = a->group != NULL && b->group != NULL && strcmp(a->group, b->group) == 0;
            if (!pair_passes(f, a, b) || (other == NULL && mates)) {
                continue;
            }
            gjk_detect_result r = gjk_detect(&a->placed, &b->placed, &settings);
            if (r.state != GJK_SEPARATED) {
                expected[count++] = (gjk_pair_hit){a, b, r};
            }
        }
    }
    for (int kind = 0; kind < LIMITS; kind++) {
        gjk_pair_hits hits;
        uint32_t limit = limit_of(kind, count);
        const gjk_selection selection = {.filter = f, .limit = limit, .arena = &s->arena};
        ck_assert_int_eq(other == NULL
                             ? gjk_set_detect_pairs(&snapshot, &selection, &settings, &hits)
                             : gjk_set_detect_against(&snapshot, &there, &selection, &settings,
                                                      &hits),
                         GJK_OK);
        require_count(hits.count, hits.truncated, count, limit);
        for (uint32_t i = 0; i < hits.count; i++) {
            ck_assert_ptr_eq(hits.items[i].a, expected[i].a);
            ck_assert_ptr_eq(hits.items[i].b, expected[i].b);
            ck_assert(same_detect(&hits.items[i].result, &expected[i].result));
        }
    }
}

/* Pairs of one set (other NULL) or of two within a distance, in the order of a, then b; with a tree
 * and without. */
static void check_near_pairs(test_rng *rng, test_scene *s, const test_scene *other,
                             const gjk_filter *f) {
    static gjk_pair_near expected[BODIES_MAX * BODIES_MAX];
    gjk_distance_settings settings = gjk_distance_settings_default();
    const struct gjk_set *with = other != NULL ? other->set : s->set;
    const gjk_snapshot there = gjk_snapshot_of(with);
    gjk_snapshot snapshot = gjk_snapshot_of(s->set);
    double reach = test_rng_once_in(rng, 4) ? INFINITY : test_rng_uniform(rng, 0, 3);
    double farthest = 0.0;
    uint32_t count = 0;
    settings.is_signed = test_rng_once_in(rng, 2);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = other != NULL ? 0 : i + 1; k < gjk_set_count(with); k++) {
            const gjk_body *a = test_set_body(s->set, i), *b = test_set_body(with, k);
            const bool mates = other == NULL && a->group != NULL && b->group != NULL &&
                               strcmp(a->group, b->group) == 0;
            const gjk_distance_result r = gjk_distance(&a->placed, &b->placed, &settings);
            if (!mates && pair_passes(f, a, b) && r.distance <= reach) {
                expected[count++] = (gjk_pair_near){a, b, r};
                farthest = fmax(farthest, r.distance);
            }
        }
    }
    reach = count > 0 && test_rng_once_in(rng, 2) ? farthest : reach; /* exactly as far */
    for (int kind = 0; kind < 2 * LIMITS; kind++) {
        gjk_pair_nears nears;
        const uint32_t limit = limit_of(kind / 2, count);
        const gjk_selection selection = {.filter = f, .limit = limit, .arena = &s->arena};
        snapshot.tree = kind % 2 == 0 ? snapshot.tree : NULL;
        ck_assert_int_eq(other == NULL
                             ? gjk_set_near_pairs(&snapshot, reach, &selection, &settings, &nears)
                             : gjk_set_near_pairs_against(&snapshot, &there, reach, &selection,
                                                          &settings, &nears),
                         GJK_OK);
        snapshot = gjk_snapshot_of(s->set);
        require_count(nears.count, nears.truncated, count, limit);
        for (uint32_t i = 0; i < nears.count; i++) {
            ck_assert_ptr_eq(nears.items[i].a, expected[i].a);
            ck_assert_ptr_eq(nears.items[i].b, expected[i].b);
            ck_assert(same_distance(&nears.items[i].result, &expected[i].result));
        }
    }
}

static int near_order(const void *p, const void *q) {
    const gjk_near *a = p, *b = q;
    double x = a->result.distance, y = b->result.distance;
    return x < y ? -1 : x > y ? 1 : strcmp(a->body->id, b->body->id);
}

static void check_nearest(test_rng *rng, test_scene *s, const gjk_filter *f) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_snapshot snapshot = gjk_snapshot_of(s->set);
    gjk_near expected[BODIES_MAX];
    uint32_t count = 0;
    double reach = test_rng_once_in(rng, 2) ? INFINITY : test_rng_uniform(rng, 0, 4);
    const gjk_body *except = s->count == 0 || test_rng_once_in(rng, 2)
                                 ? NULL
                                 : &s->bodies[test_rng_below(rng, s->count)];
    test_body a = test_random_body(rng, s->dimension, 1.0);
    test_body_build(&a, &s->arena);
    for (uint32_t i = 0; i < s->count; i++) {
        const gjk_body *b = test_set_body(s->set, i);
        gjk_distance_result r = gjk_distance(&a.placed, &b->placed, &settings);
        if (b != except && passes(f, b) && r.distance <= reach) {
            expected[count++] = (gjk_near){b, r};
        }
    }
    qsort(expected, count, sizeof *expected, near_order);
    if (count > 0) { /* exactly as far as the farthest */
        reach = expected[count - 1].result.distance;
    }
    for (int kind = 0; kind < LIMITS; kind++) {
        gjk_nears nears;
        uint32_t limit = limit_of(kind, count);
        const gjk_selection selection = {.filter = f,
                                         .except = except,
                                         .limit = limit,
                                         .arena = &s->arena};
        ck_assert_int_eq(gjk_set_nearest(&snapshot, &a.placed, reach, &selection, &settings,
                                         &nears),
                         GJK_OK);
        require_count(nears.count, nears.truncated, count, limit);
        for (uint32_t i = 0; i < nears.count; i++) {
            ck_assert_ptr_eq(nears.items[i].body, expected[i].body);
            ck_assert(same_distance(&nears.items[i].result, &expected[i].result));
        }
    }
}

static int ray_order(const void *p, const void *q) {
    const gjk_ray_hit *a = p, *b = q;
    double x = a->result.distance, y = b->result.distance;
    return x < y ? -1 : x > y ? 1 : strcmp(a->body->id, b->body->id);
}

static void check_raycast(test_rng *rng, test_scene *s, const gjk_filter *f) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_snapshot snapshot = gjk_snapshot_of(s->set);
    gjk_ray_hit expected[BODIES_MAX];
    gjk_ray ray;
    uint32_t count = 0;
    settings.solid = test_rng_once_in(rng, 2);
    gjk_vec3 from = gjk_scale3(test_rng_uniform(rng, 0, 6), test_rng_direction(rng, s->dimension));
    double reach = test_rng_once_in(rng, 2) ? INFINITY : test_rng_uniform(rng, 0, 8);
    ck_assert_int_eq(gjk_ray_make(from,
                                  gjk_neg3(gjk_add3(from, test_rng_direction(rng, s->dimension))),
                                  reach, &ray),
                     GJK_OK);
    for (uint32_t i = 0; i < s->count; i++) {
        const gjk_body *b = test_set_body(s->set, i);
        gjk_ray_result r = gjk_raycast(&b->placed, &ray, &settings);
        if (passes(f, b) && r.hit) {
            expected[count++] = (gjk_ray_hit){b, r};
        }
    }
    qsort(expected, count, sizeof *expected, ray_order);
    const gjk_selection everybody = {.filter = f};
    ck_assert_int_eq(gjk_set_raycast_any(&snapshot, &ray, &everybody, &settings), count > 0);
    for (int kind = 0; kind < LIMITS; kind++) {
        gjk_ray_hits hits;
        uint32_t limit = limit_of(kind, count);
        const gjk_selection selection = {.filter = f, .limit = limit, .arena = &s->arena};
        ck_assert_int_eq(gjk_set_raycast(&snapshot, &ray, &selection, &settings, &hits), GJK_OK);
        require_count(hits.count, hits.truncated, count, limit);
        for (uint32_t i = 0; i < hits.count; i++) {
            ck_assert_ptr_eq(hits.items[i].body, expected[i].body);
            ck_assert(same_ray(&hits.items[i].result, &expected[i].result));
        }
    }
}

TEST_EACH(as_naive_loops, 2, 4) {
    static test_scene here, there;
    test_rng rng = test_rng_make(1500 + (uint64_t)_i);
    for (int i = 0; i < SCENES; i++) {
        test_scene_make(&rng, (uint32_t)_i, "a", &here);
        test_scene_make(&rng, (uint32_t)_i, "b", &there);
        for (int k = 0; k < 6; k++) {
            gjk_filter filter = test_random_filter(&rng);
            check_detect(&rng, &here, &filter);
            check_nearest(&rng, &here, &filter);
            check_raycast(&rng, &here, &filter);
            check_pairs(&here, NULL, &filter);
            check_near_pairs(&rng, &here, NULL, &filter);
            check_near_pairs(&rng, &here, &there, &filter);
            check_pairs(&here, &there, &filter);
        }
        test_scene_drop(&here);
        test_scene_drop(&there);
    }
}

TEST(bodies_in_the_order_of_ids) {
    static test_scene s;
    test_rng rng = test_rng_make(1600);
    for (int i = 0; i < SCENES; i++) {
        test_scene_make(&rng, 2, "a", &s);
        ck_assert_uint_eq(gjk_set_count(s.set), s.count);
        for (uint32_t k = 0; k < s.count; k++) {
            const gjk_body *body = test_set_body(s.set, k);
            ck_assert_ptr_eq(gjk_set_find(s.set, body->id), body);
            ck_assert(k == 0 || strcmp(test_set_body(s.set, k - 1)->id, body->id) < 0);
            ck_assert_str_eq(s.id[body->handle], body->id);
        }
        ck_assert_ptr_null(gjk_set_find(s.set, "zzz"));
        test_scene_drop(&s);
    }
}

#define CROWD 300

static gjk_vec3 place_in_crowd(test_rng *rng, uint32_t dimension) {
    return (gjk_vec3){test_rng_uniform(rng, 0, 12), test_rng_uniform(rng, 0, 12),
                      dimension == 3 ? test_rng_uniform(rng, 0, 12) : 0.0};
}

static gjk_pose pose_in_crowd(test_rng *rng, uint32_t dimension) {
    const gjk_vec3 at = place_in_crowd(rng, dimension);
    const double angle = test_rng_once_in(rng, 2) ? 0.0 : test_rng_uniform(rng, -3, 3);
    gjk_pose pose;
    ck_assert_int_eq(dimension == 2 ? gjk_pose_make2(gjk_xy(at), angle, &pose)
                                    : gjk_pose_make3(at, test_rng_rotation(rng), &pose),
                     GJK_OK);
    return pose;
}

/* Boxes, some rounded, some flat, some at the place of another, and every eighth body a ball. */
static void make_crowd(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                       gjk_body bodies[CROWD]) {
    static gjk_shape shapes[CROWD];
    static char ids[CROWD][8];
    for (uint32_t i = 0; i < CROWD; i++) {
        const gjk_vec3 half = {test_rng_once_in(rng, 8) ? 0.0 : test_rng_uniform(rng, 0.1, 1),
                               test_rng_uniform(rng, 0.1, 1), test_rng_uniform(rng, 0.1, 1)};
        const double rounding = test_rng_once_in(rng, 2) ? 0.2 : 0.0;
        gjk_status status = i % 8 == 0
                                ? gjk_shape_make_ball(arena, dimension, 0.5, 0, &shapes[i])
                                : gjk_shape_make_box(arena, dimension, half, rounding, &shapes[i]);
        ck_assert_int_eq(status, GJK_OK);
        (void)snprintf(ids[i], sizeof ids[i], "%u", i);
        bodies[i] = (gjk_body){.id = ids[i],
                               .handle = i,
                               .category = 1,
                               .mask = UINT32_MAX,
                               .placed = {&shapes[i], pose_in_crowd(rng, dimension)}};
        if (i % 8 == 5) {
            bodies[i].placed = bodies[i - 1].placed;
        }
    }
}

/* Distances of balls from boxes are estimated before they are measured, unless iterations are few. */
TEST_EACH(balls_among_boxes, 0, 4) {
    static gjk_body bodies[CROWD];
    static gjk_near expected[CROWD];
    const uint32_t limits[] = {1, 10, 100, CROWD}, dimension = _i < 2 ? 3 : 2;
    test_rng rng = test_rng_make(1700 + (uint64_t)_i);
    gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_filter everybody = gjk_filter_default();
    struct gjk_arena arena;
    struct gjk_set *set;
    gjk_shape ball;
    gjk_arena_init(&arena, 0);
    make_crowd(&rng, dimension, &arena, bodies);
    ck_assert_int_eq(gjk_set_new_indexed(dimension, bodies, CROWD, &set), GJK_OK);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    settings.max_iterations = _i % 2 == 0 ? settings.max_iterations : GJK_ITERATIONS_MIN;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, dimension, 0.3, 0, &ball), GJK_OK);
    for (int query = 0; query < 100; query++) {
        const double reach = query % 2 == 0 ? INFINITY : test_rng_uniform(&rng, 0, 4);
        gjk_placed probe = {&ball, gjk_pose_identity()};
        uint32_t count = 0;
        probe.pose.position = place_in_crowd(&rng, dimension);
        for (uint32_t i = 0; i < CROWD; i++) {
            const gjk_near near = {&bodies[i], gjk_distance(&probe, &bodies[i].placed, &settings)};
            if (near.result.distance <= reach) {
                expected[count++] = near;
            }
        }
        qsort(expected, count, sizeof *expected, near_order);
        for (int kind = 0; kind < 8; kind++) {
            const gjk_selection selection = {.filter = &everybody,
                                             .limit = limits[kind / 2],
                                             .arena = &arena,
                                             .rest_unasked = kind % 2 == 0};
            gjk_nears nears;
            ck_assert_int_eq(gjk_set_nearest(&snapshot, &probe, reach, &selection, &settings,
                                             &nears),
                             GJK_OK);
            ck_assert_uint_eq(nears.count, count < selection.limit ? count : selection.limit);
            ck_assert_int_eq(nears.truncated, !selection.rest_unasked && count > selection.limit);
            for (uint32_t i = 0; i < nears.count; i++) {
                ck_assert_ptr_eq(nears.items[i].body, expected[i].body);
                ck_assert(same_distance(&nears.items[i].result, &expected[i].result));
            }
        }
    }
    gjk_set_release(set);
    gjk_arena_fini(&arena);
}
