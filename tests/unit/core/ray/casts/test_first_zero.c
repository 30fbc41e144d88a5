/* The first zero of swinging heights: where the least of them is 0, and with the same bits from
 * every instruction set. */

#include "ray/casts/advance.h"

#include "base/lanes.h"
#include "support/rng.h"
#include "support/test.h"

TEST_ARENA(arena)

static double least_at(const gjk_shape *cloud, const gjk_swinging *by, double d) {
    double least = INFINITY;
    for (uint32_t i = 0; i < cloud->count; i++) {
        const gjk_vec3 r = gjk_sub3(gjk_shape_point(cloud, i), cloud->offset);
        least = fmin(least, by->start + gjk_dot3(by->up, r) +
                                d * (by->rate + gjk_dot3(by->swing, r)) - 0.5 * by->curve * d * d);
    }
    return least;
}

static double everywhere(const gjk_shape *cloud, const gjk_swinging *by) {
    const double zero = gjk_first_zero_plain(cloud, by);
#ifdef GJK_SCAN_X86
    ck_assert(!gjk_has_avx2() || gjk_first_zero_avx2(cloud, by) == zero);
    ck_assert(!gjk_has_avx512() || gjk_first_zero_avx512(cloud, by) == zero);
#endif
    return zero;
}

TEST(where_the_least_height_is_0) {
    test_rng rng = test_rng_make(31);
    for (int i = 0; i < 4000; i++) {
        gjk_vec3 points[20];
        gjk_shape cloud;
        const uint32_t count = 4 + test_rng_below(&rng, 17);
        for (uint32_t k = 0; k < count; k++) {
            points[k] = test_rng_direction(&rng, 3);
        }
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, points, count, 0, &cloud), GJK_OK);
        const gjk_swinging by = {test_rng_direction(&rng, 3),
                                 gjk_scale3(test_rng_uniform(&rng, 0, 3),
                                            test_rng_direction(&rng, 3)),
                                 test_rng_uniform(&rng, 0.5, 4), test_rng_uniform(&rng, -3, 3),
                                 test_rng_once_in(&rng, 4) ? 0 : test_rng_uniform(&rng, 0, 3)};
        const double zero = everywhere(&cloud, &by), start = least_at(&cloud, &by, 0);
        if (!(start > 0)) {
            ck_assert(zero == 0);
        } else if (zero == INFINITY) {
            ck_assert(by.curve == 0 && least_at(&cloud, &by, 1e6) > 0);
        } else {
            ck_assert_msg(zero > 0 &&
                              fabs(least_at(&cloud, &by, zero)) <= 1e-13 * (1 + zero * zero),
                          "%g at %g, %g at first", least_at(&cloud, &by, zero), zero, start);
            ck_assert(least_at(&cloud, &by, 0.999 * zero) > 0);
        }
        gjk_arena_reset(&arena);
    }
}

/* Nothing changes: 0 above 0. */
TEST(what_rests_has_none) {
    const gjk_vec3 ends[2] = {{-1, 0, 0}, {1, 0, 0}};
    gjk_shape rod;
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, ends[0], ends[1], 0, &rod), GJK_OK);
    const gjk_swinging by = {.up = {0, 1, 0}, .start = 1};
    ck_assert(everywhere(&rod, &by) == INFINITY);
}
