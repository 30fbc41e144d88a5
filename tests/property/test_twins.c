/* Do the twin kernels agree: distance2(A, B) with distance3(A x [-1, 1], B x [-1, 1])? */

#include "judge.h"
#include "require.h"
#include "support/test.h"

#define PAIRS 6000
#define ERROR 4e-15

/* A depth of the prisms is at most that along z: 2, less than any depth of the flat pair here. */
#define FLAT_SIZE 0.5

static void require_twins(const test_pair *flat, const test_pair *prisms) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_distance_settings distance_settings = gjk_distance_settings_default();
    gjk_detect_result r2 = gjk_detect(&flat->a.placed, &flat->b.placed, &settings);
    gjk_detect_result r3 = gjk_detect(&prisms->a.placed, &prisms->b.placed, &settings);
    gjk_distance_result d2 = gjk_distance(&flat->a.placed, &flat->b.placed, &distance_settings);
    gjk_distance_result d3 = gjk_distance(&prisms->a.placed, &prisms->b.placed, &distance_settings);
    double error = ERROR * test_pair_scale(prisms);
    TEST_REQUIRE_NEAR(flat, d2.distance, d3.distance, error);
    /* The prisms are larger, and so is what counts as touching. */
    double touching = GJK_TOLERANCE_DEFAULT * test_pair_scale(prisms);
    bool clear = d2.distance > touching || r2.depth > touching;
    TEST_REQUIRE(flat, !clear || r2.state == r3.state);
    if (r2.state == GJK_OVERLAPPING && clear) {
        TEST_REQUIRE_NEAR(flat, r2.depth, r3.depth, error);
        TEST_REQUIRE_NEAR(flat, r3.normal.z, 0.0, error);
    }
    if (d2.distance > touching) {
        TEST_REQUIRE_NEAR(flat, d3.normal.z, 0.0, error);
        TEST_REQUIRE_NEAR(flat, gjk_dot3(d2.normal, d3.normal), 1.0, error);
    }
}

TEST(prisms_answer_as_their_bases) {
    test_rng rng = test_rng_make(600);
    struct gjk_arena arena;
    static test_pair flat, prisms;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        flat.a = test_random_polytope(&rng, 2, FLAT_SIZE);
        flat.b = test_random_polytope(&rng, 2, FLAT_SIZE);
        flat.b.position = gjk_scale3(test_rng_uniform(&rng, 0, 1), test_rng_direction(&rng, 2));
        if (test_rng_once_in(&rng, 3)) { /* axes along the world's: parallel edges */
            flat.a.angle = flat.b.angle = 0.0;
        }
        test_pair_build(&flat, &arena);
        prisms.a = test_prism(&flat.a);
        prisms.b = test_prism(&flat.b);
        test_pair_build(&prisms, &arena);
        require_twins(&flat, &prisms);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
