/* Every scan finds the place that the plain one finds, whatever the number of points and ties. */

#include "shape/convex/scan.h"

#include "support/rng.h"
#include "support/test.h"

#define MOST 200
#define STRIDE_MOST 208

/* Columns of small whole numbers, of which many are equal, padded with the first point. */
static gjk_columns fill(test_rng *rng, double *x, uint32_t count) {
    const gjk_columns cloud = {x, count, (count + GJK_LANES - 1) / GJK_LANES * GJK_LANES};
    for (uint32_t column = 0; column < 3; column++) {
        for (uint32_t i = 0; i < cloud.stride; i++) {
            double *at = &x[column * cloud.stride + i];
            *at = i < count ? test_rng_integer(rng, -3, 3) : x[column * cloud.stride];
        }
    }
    return cloud;
}

TEST(both_scans_find_the_lowest_index_of_the_farthest) {
    static _Alignas(64) double x[2][3 * STRIDE_MOST];
    test_rng rng = test_rng_make(11);
    for (uint32_t count = 1; count <= MOST; count++) {
        for (int k = 0; k < 20; k++) {
            const gjk_columns cloud[2] = {fill(&rng, x[0], count),
                                          fill(&rng, x[1], MOST + 1 - count)};
            uint32_t index[2];
            gjk_vec3 d[2];
            for (int i = 0; i < 2; i++) {
                d[i] = (gjk_vec3){test_rng_integer(&rng, -3, 3), test_rng_integer(&rng, -3, 3),
                                  test_rng_uniform(&rng, -1.0, 1.0)};
            }
            gjk_scans_fastest()->both(cloud, d, index);
            for (int i = 0; i < 2; i++) {
                const uint32_t expected = gjk_scans_plain.three(&cloud[i], d[i].x, d[i].y, d[i].z);
                ck_assert_uint_eq(index[i], expected);
                ck_assert_uint_eq(gjk_scan3(&cloud[i], d[i].x, d[i].y, d[i].z), expected);
#ifdef GJK_SCAN_X86
                if (gjk_has_avx2()) {
                    ck_assert_uint_eq(gjk_scans_avx2.three(&cloud[i], d[i].x, d[i].y, d[i].z),
                                      expected);
                }
#endif
            }
        }
    }
}

TEST(the_least_is_the_first_among_equals) {
    static _Alignas(64) double values[STRIDE_MOST];
    test_rng rng = test_rng_make(12);
    for (uint32_t count = 1; count <= MOST; count++) {
        for (int k = 0; k < 20; k++) {
            for (uint32_t i = 0; i < STRIDE_MOST; i++) {
                values[i] = i < count ? (double)test_rng_integer(&rng, -20, 60) : (double)INFINITY;
            }
            const uint32_t expected = gjk_scans_plain.least(values, count);
            ck_assert_uint_eq(gjk_scans_fastest()->least(values, count), expected);
#ifdef GJK_SCAN_X86
            if (gjk_has_avx2()) {
                ck_assert_uint_eq(gjk_scans_avx2.least(values, count), expected);
            }
#endif
        }
    }
}
