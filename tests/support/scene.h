#ifndef TEST_SCENE_H
#define TEST_SCENE_H

/* Random bodies and pairs, from the rng alone. Bodies are not built yet: test_body_build. */

#include "body.h"
#include "rng.h"

#include <stdbool.h>

/* Any orientation, 2D or 3D. */
void test_turn_randomly(test_rng *rng, test_body *body);

/* A hull of `count` random points in a box of the given half extents. */
test_body test_random_hull(test_rng *rng, uint32_t dimension, uint32_t count, gjk_vec3 half);

/* A shape of a random type (every type of the dimension comes), about `size` in size,
 * once in four times with rounding, turned randomly, at the origin. */
test_body test_random_body(test_rng *rng, uint32_t dimension, double size);

/* The same, but a polytope without radius. */
test_body test_random_polytope(test_rng *rng, uint32_t dimension, double size);

/* Two random bodies near each other, about half of them overlapping; built. */
typedef struct test_pair {
    test_body a, b;
} test_pair;
void test_random_pair(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *out);

/* As before, but once in three times one of them or both is a hull of up to 100 points. */
void test_random_large_pair(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                            test_pair *out);

/* The size that tolerances and errors are relative to: the larger of the two shapes', or how far
 * they are apart, or off their own origins. */
double test_pair_scale(const test_pair *pair);

/* Builds both. */
void test_pair_build(test_pair *pair, struct gjk_arena *arena);

/* A 2D polytope without radius, times [-1, 1] in z. */
test_body test_prism(const test_body *flat);

#endif
