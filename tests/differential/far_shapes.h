#ifndef TEST_FAR_SHAPES_H
#define TEST_FAR_SHAPES_H

/* Shapes of every kind whose geometry can lie off its own origin, 1 to 1e12 sizes away from it. */

#include "checks.h"
#include "gjk/shape.h"
#include "rng.h"

typedef enum test_far_kind {
    TEST_FAR_CAPSULE,
    TEST_FAR_HULL,
    TEST_FAR_CYLINDER,
    TEST_FAR_CONE,
    TEST_FAR_COMPOUND,
    TEST_FAR_CHAIN,
    TEST_FAR_REGION,
    TEST_FAR_MESH,
    TEST_FAR_PLACED_BOX, /* a compound of one box whose place is far out */
    TEST_FAR_KINDS
} test_far_kind;

const char *test_far_name(test_far_kind kind);
bool test_far_exists(test_far_kind kind, uint32_t dimension);

/* One shape made twice, far from its own origin and about it, in one place near the world's. The
 * numbers differ by the offset alone, to the last bit. Borrows from itself: must not be copied. */
typedef struct test_far_pair {
    gjk_shape far, near;
    gjk_placed far_placed, near_placed;
} test_far_pair;

/* One of a random form, distance and turn, in memory of the arena. */
void test_far_pair_make(test_rng *rng, test_far_kind kind, uint32_t dimension,
                        struct gjk_arena *arena, test_far_pair *out);

#endif
