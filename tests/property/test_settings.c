/*
 * Do answers stay true under any setting? With five iterations the bounds still hold
 * and nothing is claimed that is not proven; with any tolerance the state is what the
 * signed distance says; detect, distance and penetration:false always agree.
 */

#include "judge.h"
#include "require.h"
#include "support/test.h"

#define PAIRS 10000

typedef struct answers {
    gjk_detect_result detect, quick;
    gjk_distance_result distance;
} answers;

static answers ask(const test_pair *p, double tolerance, uint32_t max_iterations) {
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    detect.tolerance = distance.tolerance = tolerance;
    detect.max_iterations = distance.max_iterations = max_iterations;
    answers a = {
        .detect = gjk_detect(&p->a.placed, &p->b.placed, &detect),
        .distance = gjk_distance(&p->a.placed, &p->b.placed, &distance),
    };
    detect.penetration = false;
    a.quick = gjk_detect(&p->a.placed, &p->b.placed, &detect);
    return a;
}

static void require_finite(const test_pair *p, const answers *a) {
    TEST_REQUIRE(p, isfinite(a->detect.depth) && isfinite(a->detect.depth_lower_bound));
    TEST_REQUIRE(p, isfinite(a->distance.distance) && isfinite(a->distance.lower_bound));
    TEST_REQUIRE(p, test_finite3(a->detect.normal) && test_finite3(a->distance.normal));
    TEST_REQUIRE(p, test_finite3(a->detect.point_a) && test_finite3(a->detect.point_b));
    TEST_REQUIRE(p, test_finite3(a->distance.point_a) && test_finite3(a->distance.point_b));
}

/* s: what a run with all iterations found. */
static void require_true(const test_pair *p, const answers *a, double tolerance, double s) {
    double size = fmax(p->a.shape.size, p->b.shape.size);
    double scale = test_pair_scale(p), blur = 8 * test_ulp(scale), band = tolerance * size;
    gjk_state state = a->detect.state;
    TEST_REQUIRE(p, state == a->distance.state && state == a->quick.state);
    if (state == GJK_SEPARATED) {
        TEST_REQUIRE(p, s > band - blur);
        TEST_REQUIRE(p, a->detect.convergence == GJK_CONVERGED); /* the state is all it tells */
    } else if (state == GJK_OVERLAPPING) {
        TEST_REQUIRE(p, s < -band + blur);
    } else if (a->detect.convergence == GJK_CONVERGED) {
        TEST_REQUIRE(p, fabs(s) <= band + blur);
    }
    if (state != GJK_OVERLAPPING) {
        TEST_REQUIRE(p, a->distance.lower_bound <= a->distance.distance);
        TEST_REQUIRE(p, a->distance.lower_bound <= fmax(s, 0.0) + blur);
        TEST_REQUIRE(p, a->distance.distance >= fmax(s, 0.0) - blur);
        bool close = a->distance.distance - a->distance.lower_bound <= band + blur;
        TEST_REQUIRE(p, close || a->distance.convergence == GJK_ITERATION_LIMIT);
    }
    if (state != GJK_SEPARATED) {
        TEST_REQUIRE(p, a->detect.depth_lower_bound <= a->detect.depth);
        TEST_REQUIRE(p, a->detect.depth_lower_bound <= fmax(-s, 0.0) + blur);
        TEST_REQUIRE(p, a->detect.depth >= fmax(-s, 0.0) - blur);
        bool close = a->detect.depth - a->detect.depth_lower_bound <= band + blur;
        TEST_REQUIRE(p, close || a->detect.convergence == GJK_ITERATION_LIMIT);
    }
}

static void require_axes(const test_pair *p, const answers *a) {
    double error = 1e-12 * test_pair_scale(p);
    if (a->detect.state == GJK_SEPARATED) {
        TEST_REQUIRE(p, test_gap_along(&p->a, &p->b, a->detect.normal) > 0);
    } else {
        TEST_REQUIRE(p, (double)test_gap_along(&p->a, &p->b, a->detect.normal) >=
                            -a->detect.depth - error);
    }
}

TEST_EACH(any_limit_and_tolerance, 2, 4) {
    test_rng rng = test_rng_make(700 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    unsigned limited = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        test_random_large_pair(&rng, (uint32_t)_i, &arena, &p);
        answers all = ask(&p, GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_MAX);
        double s = all.distance.distance > 0.0 ? all.distance.distance : -all.detect.depth;
        double tolerance = test_rng_magnitude(&rng, -17, -2);
        uint32_t limit =
            test_rng_once_in(&rng, 2) ? GJK_ITERATIONS_MIN : 5 + test_rng_below(&rng, 20);
        answers few = ask(&p, tolerance, limit);
        require_finite(&p, &few);
        require_true(&p, &few, tolerance, s);
        require_axes(&p, &few);
        TEST_REQUIRE(&p,
                     few.detect.iterations <= 2 * limit && few.distance.iterations <= 2 * limit);
        limited += few.detect.convergence == GJK_ITERATION_LIMIT;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    if (_i == 3) {
        ck_assert_uint_gt(limited, PAIRS / 100); /* or else nothing was tried */
    }
}

TEST_EACH(same_bits_again, 2, 4) {
    test_rng rng = test_rng_make(800 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_pair p;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS / 4; i++) {
        test_random_large_pair(&rng, (uint32_t)_i, &arena, &p);
        answers once = ask(&p, GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT);
        answers again = ask(&p, GJK_TOLERANCE_DEFAULT, GJK_ITERATIONS_DEFAULT);
        TEST_REQUIRE(&p, once.detect.depth == again.detect.depth);
        TEST_REQUIRE(&p, once.distance.distance == again.distance.distance);
        TEST_REQUIRE(&p, gjk_length3(gjk_sub3(once.detect.point_a, again.detect.point_a)) == 0.0);
        TEST_REQUIRE(&p,
                     gjk_length3(gjk_sub3(once.distance.point_b, again.distance.point_b)) == 0.0);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
