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

static void check_nan(const struct gjk_scans *scans, const gjk_columns *cloud) {
    const gjk_shape flat = {.columns = cloud->x, .count = cloud->count, .stride = cloud->stride};
    ck_assert_uint_eq(scans->three(cloud, NAN, 1.0, 0.0), 0);
    ck_assert_uint_eq(scans->two(&flat, NAN, 1.0), 0);
}

/* No direction leads beyond the columns. */
TEST(a_direction_that_is_no_number_finds_the_first_point) {
    static _Alignas(64) double x[3 * STRIDE_MOST];
    test_rng rng = test_rng_make(16);
    for (uint32_t count = 1; count <= MOST; count++) {
        const gjk_columns cloud = fill(&rng, x, count);
        check_nan(&gjk_scans_plain, &cloud);
        check_nan(gjk_scans_fastest(), &cloud);
#ifdef GJK_SCAN_X86
        if (gjk_has_avx2()) {
            check_nan(&gjk_scans_avx2, &cloud);
        }
#endif
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

/* Planes in four columns, the last of which are never reached. */
static uint32_t fill_planes(test_rng *rng, double *x, uint32_t count) {
    const uint32_t padded = (count + GJK_LANES - 1) / GJK_LANES * GJK_LANES;
    for (uint32_t i = 0; i < padded; i++) {
        const gjk_vec3 n = i < count ? test_rng_direction(rng, 3) : (gjk_vec3){0, 0, 0};
        x[i] = n.x;
        x[STRIDE_MOST + i] = n.y;
        x[2 * STRIDE_MOST + i] = n.z;
        x[3 * STRIDE_MOST + i] = i < count ? test_rng_uniform(rng, -1.0, 2.0) : (double)INFINITY;
    }
    return padded;
}

static void check_planes(const struct gjk_scans *scans, const double *x, uint32_t count,
                         gjk_vec3 place) {
    static _Alignas(64) double inner[2][STRIDE_MOST], square[2][STRIDE_MOST];
    const double least = gjk_scans_plain.inner(x, STRIDE_MOST, count, &place, inner[0]);
    gjk_scans_plain.beyond(x, STRIDE_MOST, count, &place, square[0]);
    ck_assert_double_eq(scans->inner(x, STRIDE_MOST, count, &place, inner[1]), least);
    scans->beyond(x, STRIDE_MOST, count, &place, square[1]);
    ck_assert_mem_eq(inner[0], inner[1], count * sizeof(double));
    ck_assert_mem_eq(square[0], square[1], count * sizeof(double));
}

TEST(planes_are_as_far_from_a_place_in_all_scans) {
    static _Alignas(64) double x[4 * STRIDE_MOST];
    test_rng rng = test_rng_make(13);
    for (uint32_t count = 1; count <= MOST; count++) {
        const uint32_t padded = fill_planes(&rng, x, count);
        for (int k = 0; k < 20; k++) {
            const gjk_vec3 place = gjk_scale3(k % 4 == 0 ? 0.0 : test_rng_uniform(&rng, 0.0, 3.0),
                                              test_rng_direction(&rng, 3));
            check_planes(gjk_scans_fastest(), x, padded, place);
#ifdef GJK_SCAN_X86
            if (gjk_has_avx2()) {
                check_planes(&gjk_scans_avx2, x, padded, place);
            }
#endif
        }
    }
}

/* However small or large: along an axis, where the plane through the place meets planes that stand
 * beside it at no angle at all, and anywhere. */
TEST(a_place_of_any_size_has_bounds) {
    static _Alignas(64) double x[4 * STRIDE_MOST], square[STRIDE_MOST];
    test_rng rng = test_rng_make(15);
    for (int power = -545; power <= 520; power++) {
        const double size = ldexp(1.0, power);
        const uint32_t padded = fill_planes(&rng, x, 24);
        for (uint32_t i = 0; i < 24; i++) {
            x[i] = i < 12 ? (i % 2 == 0 ? 1.0 : -1.0) : x[i];
            x[STRIDE_MOST + i] *= i < 12 ? 0.0 : 1.0;
            x[2 * STRIDE_MOST + i] *= i < 12 ? 0.0 : 1.0;
            x[3 * STRIDE_MOST + i] *= size;
        }
        for (int k = 0; k < 4; k++) {
            const gjk_vec3 way = k == 0 ? (gjk_vec3){1, 0, 0} : test_rng_direction(&rng, 3);
            const gjk_vec3 place = gjk_scale3(size, way);
            check_planes(gjk_scans_fastest(), x, padded, place);
            gjk_scans_fastest()->beyond(x, STRIDE_MOST, padded, &place, square);
            for (uint32_t i = 0; i < padded; i++) {
                ck_assert(square[i] >= 0.0);
            }
        }
    }
}

/* What is beyond two planes is a wedge: by sums of parts of both normals that are not below 0. */
TEST(a_place_beyond_a_plane_is_as_far_as_a_wedge_is) {
    static _Alignas(64) double x[4 * STRIDE_MOST], square[STRIDE_MOST];
    test_rng rng = test_rng_make(14);
    for (int k = 0; k < 2000; k++) {
        const uint32_t padded = fill_planes(&rng, x, 30);
        const gjk_vec3 own =
            gjk_scale3(test_rng_uniform(&rng, 0.1, 2.0), test_rng_direction(&rng, 3));
        const double far = gjk_length3(own);
        const gjk_vec3 p = gjk_scale3(1.0 / far, own);
        gjk_scans_fastest()->beyond(x, STRIDE_MOST, padded, &own, square);
        for (uint32_t i = 0; i < 30; i++) {
            const gjk_vec3 n = {x[i], x[STRIDE_MOST + i], x[2 * STRIDE_MOST + i]};
            const double least = x[3 * STRIDE_MOST + i], cosine = gjk_dot3(n, p);
            const double sine2 = 1.0 - cosine * cosine;
            double truth = far;
            if (gjk_dot3(n, own) < least) {
                const double of_p = far - cosine * least, of_n = least - cosine * far;
                const gjk_vec3 meet =
                    gjk_add3(gjk_scale3(of_p / sine2, p), gjk_scale3(of_n / sine2, n));
                truth = of_p < 0.0 ? least : gjk_length3(meet);
            }
            if (sine2 > 1e-3) {
                ck_assert_double_le(fabs(sqrt(square[i]) - truth), 1e-11 * truth);
            }
            ck_assert_double_le(sqrt(square[i]), truth * (1.0 + 1e-9));
        }
    }
}
