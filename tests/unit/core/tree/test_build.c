/* Are bodies halved by their order, in linear time whatever that was before? */

#include "tree/node.h"

#include "support/rng.h"
#include "support/test.h"

#define COUNT 4000

static gjk_branch bodies[COUNT];
static double values[COUNT];

static void set_up(void) {
}

static void tear_down(void) {
}

TEST_FIXTURE(set_up, tear_down)

static void fill(void) {
    for (uint32_t i = 0; i < COUNT; i++) {
        const gjk_vec3 at = {values[i], 0, 0};
        bodies[i] = (gjk_branch){.box = {at, at}, .first = i, .last = i};
    }
}

static bool comes_first(const gjk_branch *a, const gjk_branch *b) {
    return a->box.min.x != b->box.min.x ? a->box.min.x < b->box.min.x : a->first < b->first;
}

/* Whether the first half comes before the others and nobody is lost. */
static void check_halves(void) {
    static bool seen[COUNT];
    const gjk_branch *last = &bodies[0], *first = &bodies[COUNT / 2];
    uint32_t found = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        seen[i] = false;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        found += !seen[bodies[i].first];
        seen[bodies[i].first] = true;
        if (i < COUNT / 2) {
            last = comes_first(last, &bodies[i]) ? &bodies[i] : last;
        } else {
            first = comes_first(&bodies[i], first) ? &bodies[i] : first;
        }
    }
    ck_assert_uint_eq(found, COUNT);
    ck_assert(comes_first(last, first));
}

TEST(any_values) {
    test_rng rng = test_rng_make(61);
    for (uint32_t kinds = 1; kinds <= COUNT; kinds *= 7) {
        for (uint32_t i = 0; i < COUNT; i++) {
            values[i] = test_rng_below(&rng, kinds);
        }
        fill();
        const uint64_t looked_at = gjk_branches_halve(bodies, COUNT, 0);
        check_halves();
        ck_assert_uint_le(looked_at, 10 * COUNT);
    }
}

/* Values whose keys, the bits of the numbers, double from one to the next: each bisection of their
 * range parts only one body from the others. */
TEST(the_worst_order) {
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = i < 52 ? ldexp(0x1p-1074, (int)i) : 0.0;
    }
    values[COUNT - 1] = GJK_COORDINATE_MAX;
    fill();
    const uint64_t looked_at = gjk_branches_halve(bodies, COUNT, 0);
    check_halves();
    ck_assert_uint_ge(looked_at, 50 * COUNT); /* it is a bad order indeed */
    ck_assert_uint_le(looked_at, 96 * COUNT);
}
