/*
 * Does a cache that is kept from query to query change answers? Two bodies move along and
 * turn, a little at each step; each question is asked with the cache and without, and both
 * answers must say the same: to rounding for polytopes, to the tolerance for curves.
 */

#include "curved.h"
#include "judge.h"
#include "require.h"
#include "support/test.h"

#define WALKS 400
#define STEPS 40
#define ERROR 8e-15 /* relative to test_pair_scale, as between two ways to one answer */

typedef struct answers {
    gjk_detect_result detect, quick;
    gjk_distance_result distance;
} answers;

/* All questions share the cache, in an order that the step chooses. */
static answers ask(const gjk_placed *a, const gjk_placed *b, gjk_cache *cache, int step) {
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_detect_settings quick = detect;
    detect.cache = quick.cache = distance.cache = cache;
    quick.penetration = false;
    answers r;
    for (int k = 0; k < 3; k++) {
        switch ((k + step) % 3) {
        case 0:
            r.detect = gjk_detect(a, b, &detect);
            break;
        case 1:
            r.quick = gjk_detect(a, b, &quick);
            break;
        default:
            r.distance = gjk_distance(a, b, &distance);
        }
    }
    return r;
}

static gjk_vec3 small_step(test_rng *rng, uint32_t dimension, double size) {
    return gjk_scale3(test_rng_uniform(rng, 0.0, size), test_rng_direction(rng, dimension));
}

/* A little turn, the quaternion's length kept. */
static gjk_quat turned(test_rng *rng, gjk_quat q) {
    double *part[4] = {&q.x, &q.y, &q.z, &q.w}, squared = 0.0;
    for (int i = 0; i < 4; i++) {
        *part[i] += test_rng_uniform(rng, -0.03, 0.03);
        squared += *part[i] * *part[i];
    }
    for (int i = 0; i < 4; i++) {
        *part[i] /= sqrt(squared);
    }
    return q;
}

static void move(test_rng *rng, test_body *body, double size) {
    body->position = gjk_add3(body->position, small_step(rng, body->dimension, 0.05 * size));
    body->angle += test_rng_uniform(rng, -0.05, 0.05);
    body->orientation = turned(rng, body->orientation);
    test_body_place(body);
}

static void compare(const test_pair *p, const answers *warm, const answers *cold) {
    double error = ERROR * test_pair_scale(p) +
                   8 * test_ulp(fmax(test_body_reach(&p->a), test_body_reach(&p->b)));
    double band = GJK_TOLERANCE_DEFAULT * fmax(p->a.shape.size, p->b.shape.size);
    double s = cold->distance.distance > 0.0 ? cold->distance.distance : -cold->detect.depth;
    bool on_the_edge = fabs(fabs(s) - band) <= error;
    TEST_REQUIRE(p, warm->detect.state == cold->detect.state || on_the_edge);
    TEST_REQUIRE(p, warm->quick.state == cold->quick.state || on_the_edge);
    TEST_REQUIRE(p, warm->distance.state == cold->distance.state || on_the_edge);
    TEST_REQUIRE(p, warm->quick.state == warm->detect.state || on_the_edge);
    TEST_REQUIRE(p, warm->distance.state == warm->detect.state || on_the_edge);
    TEST_REQUIRE_NEAR(p, warm->distance.distance, cold->distance.distance, error);
    TEST_REQUIRE_NEAR(p, warm->distance.lower_bound, cold->distance.lower_bound, error);
    if (warm->detect.state == GJK_SEPARATED) {
        TEST_REQUIRE(p, (double)test_gap_along(&p->a, &p->b, warm->detect.normal) > 0.0);
    } else if (warm->detect.state == cold->detect.state) {
        TEST_REQUIRE_NEAR(p, warm->detect.depth, cold->detect.depth, error);
        TEST_REQUIRE_NEAR(p, warm->detect.depth_lower_bound, cold->detect.depth_lower_bound, error);
    }
}

TEST_EACH(polytopes_on_their_way, 0, WALKS) {
    uint32_t dimension = _i < WALKS / 4 ? 2 : 3;
    test_rng rng = test_rng_make(0x3a21 + (uint64_t)_i);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    static test_pair p;
    test_random_pair(&rng, dimension, &arena, &p);
    gjk_cache cache = gjk_cache_make();
    double size = fmin(p.a.shape.size, p.b.shape.size);
    for (int step = 0; step < STEPS; step++) {
        answers warm = ask(&p.a.placed, &p.b.placed, &cache, step);
        answers cold = ask(&p.a.placed, &p.b.placed, NULL, step);
        compare(&p, &warm, &cold);
        move(&rng, &p.a, size);
        move(&rng, &p.b, size);
    }
    gjk_arena_fini(&arena);
}

/* Curves end within the tolerance of each other, and their bounds hold in either case. */
TEST_EACH(curves_on_their_way, 0, WALKS) {
    uint32_t dimension = _i % 4 == 0 ? 2 : 3;
    test_rng rng = test_rng_make(0x91c5 + (uint64_t)_i);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    test_curved a, b;
    test_curved_make_random(&a, &rng, dimension, 1.0, &arena, true);
    test_curved_make_random(&b, &rng, dimension, 1.0, &arena, true);
    test_curved_place_randomly(&a, &rng, (gjk_vec3){0, 0, 0});
    test_curved_place_randomly(&b, &rng, small_step(&rng, dimension, 2.0));
    gjk_cache cache = gjk_cache_make();
    double error = 4 * GJK_TOLERANCE_DEFAULT * fmax(a.shape.size, b.shape.size);
    for (int step = 0; step < STEPS; step++) {
        answers warm = ask(&a.placed, &b.placed, &cache, step);
        answers cold = ask(&a.placed, &b.placed, NULL, step);
        bool settled =
            warm.detect.convergence == GJK_CONVERGED && cold.detect.convergence == GJK_CONVERGED;
        double s = cold.distance.distance > 0.0 ? cold.distance.distance : -cold.detect.depth;
        ck_assert(!settled || warm.detect.state == cold.detect.state || fabs(s) <= error);
        ck_assert(!settled || warm.quick.state == cold.quick.state || fabs(s) <= error);
        if (warm.distance.convergence == GJK_CONVERGED &&
            cold.distance.convergence == GJK_CONVERGED) {
            ck_assert_double_le(fabs(warm.distance.distance - cold.distance.distance), error);
        }
        ck_assert_double_le(warm.distance.lower_bound, cold.distance.distance + 1e-14);
        ck_assert_double_ge(warm.distance.distance, cold.distance.lower_bound - 1e-14);
        if (warm.detect.state == GJK_OVERLAPPING && cold.detect.state == GJK_OVERLAPPING) {
            ck_assert_double_le(warm.detect.depth_lower_bound, cold.detect.depth + 1e-14);
            ck_assert_double_ge(warm.detect.depth, cold.detect.depth_lower_bound - 1e-14);
        }
        gjk_vec3 by = small_step(&rng, dimension, 0.05);
        b.placed.pose.position = gjk_add3(b.placed.pose.position, by);
    }
    gjk_arena_fini(&arena);
}

/* A cache of another pair counts as empty: the answer is the cold one, to the bit. */
TEST(a_cache_of_another_pair) {
    test_rng rng = test_rng_make(0x77e1);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    static test_pair p, q;
    gjk_cache cache = gjk_cache_make();
    test_random_pair(&rng, 3, &arena, &p);
    test_random_pair(&rng, 3, &arena, &q);
    (void)ask(&p.a.placed, &p.b.placed, &cache, 0);
    const gjk_distance_settings cold = gjk_distance_settings_default();
    gjk_distance_settings warm = cold;
    warm.cache = &cache;
    gjk_distance_result one = gjk_distance(&q.a.placed, &q.b.placed, &warm);
    gjk_distance_result two = gjk_distance(&q.a.placed, &q.b.placed, &cold);
    ck_assert_double_eq(one.distance, two.distance);
    ck_assert_double_eq(one.normal.x, two.normal.x);
    ck_assert_uint_eq(one.iterations, two.iterations);
    gjk_arena_fini(&arena);
}

/* What stands still is answered in fewer steps the second time. */
TEST(it_saves_steps) {
    uint32_t cold = 0, warm = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        test_rng rng = test_rng_make(seed);
        struct gjk_arena arena;
        gjk_arena_init(&arena, 0);
        static test_pair p;
        gjk_cache cache = gjk_cache_make();
        test_random_pair(&rng, 3, &arena, &p);
        gjk_distance_settings settings = gjk_distance_settings_default();
        settings.cache = &cache;
        cold += gjk_distance(&p.a.placed, &p.b.placed, &settings).iterations;
        warm += gjk_distance(&p.a.placed, &p.b.placed, &settings).iterations;
        gjk_arena_fini(&arena);
    }
    ck_assert_uint_lt(2 * warm, cold);
}
