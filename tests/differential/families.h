#ifndef TEST_FAMILIES_H
#define TEST_FAMILIES_H

#include "scene.h"

/* A kind of pair that solvers get wrong. */
typedef struct test_family {
    const char *name;
    /* Fills a and b, not built yet except where the family needed it to place them. */
    void (*make)(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *out);
    uint32_t pairs; /* in each dimension, in a plain run */
} test_family;

extern const test_family test_families[];
extern const uint32_t test_family_count;

/* Moves b along the exact normal so that the signed distance becomes `gap`, within the rounding
 * of b's position. Both must be built; builds b's pose again. */
void test_set_gap(test_pair *pair, double gap);

#endif
