/* Are sine and cosine right to the last place, for every angle, always the same? */

#include <float.h>
#include <string.h>

#include "gjk/pose.h"
#include "support/rng.h"
#include "support/test.h"

#define CASES 30000

/* Documented: within one unit in the last place. Meant: within this. */
#define ERROR_MAX_ULPS 0.65

/* In units in the last place of the reference's binade. */
static double error_ulps(double value, long double reference) {
    int exponent;
    frexpl(reference, &exponent);
    return (double)fabsl(((long double)value - reference) / ldexpl(1, exponent - DBL_MANT_DIG));
}

/* A long double with 11 more bits tells the error itself; one without, only that the
 * two libraries are within a unit of each other. */
static void check_angle(double angle) {
    const double error_max = LDBL_MANT_DIG >= 64 ? ERROR_MAX_ULPS : 1.5;
    double s, c;
    gjk_sincos(angle, &s, &c);
    ck_assert_msg(error_ulps(s, sinl(angle)) <= error_max, "sin(%a) = %a, not %a", angle, s,
                  sin(angle));
    ck_assert_msg(error_ulps(c, cosl(angle)) <= error_max, "cos(%a) = %a, not %a", angle, c,
                  cos(angle));
}

TEST(angles_of_all_magnitudes) {
    test_rng rng = test_rng_make(5);
    static const struct {
        double low, high;
    } decades[] = {{-300, -10}, {-10, 0}, {0, 1}, {0, 5}, {5, 20}, {20, 308.2}};
    for (size_t d = 0; d < sizeof decades / sizeof decades[0]; d++) {
        for (int i = 0; i < CASES; i++) {
            double angle = test_rng_magnitude(&rng, decades[d].low, decades[d].high);
            check_angle(i % 2 == 0 ? angle : -angle);
        }
    }
}

TEST(angles_in_one_turn) {
    test_rng rng = test_rng_make(6);
    for (int i = 0; i < CASES; i++) {
        check_angle(test_rng_uniform(&rng, -7, 7));
    }
}

/* Next to a multiple of pi/4 the reduction loses most, or changes its mind. */
TEST(neighbours_of_quarter_turns) {
    const double quarter_pi = 0.78539816339744830962;
    for (int i = 1; i < 20000; i++) {
        int n = i < 10000 ? i : i * 997;
        double angle = n * quarter_pi;
        for (int step = 0; step < 3; step++) {
            check_angle(angle);
            check_angle(-angle);
            angle = nextafter(angle, i % 2 == 0 ? 0 : INFINITY);
        }
    }
}

TEST(the_hardest_angles) {
    /* The double nearest to a multiple of pi/2 (Kahan), and the extremes. */
    check_angle(6381956970095103.0 * 0x1p797);
    check_angle(DBL_MAX);
    check_angle(-DBL_MAX);
    check_angle(DBL_MIN);
    check_angle(0x1p-1074);
    check_angle(0x1p-27);
    check_angle(nextafter(0x1p-27, 0));
    check_angle(0x1p1023);
    for (int e = -60; e < 1023; e++) {
        check_angle(ldexp(1.0, e));
        check_angle(ldexp(0x1.fffffffffffffp0, e));
    }
}

TEST(exact_values_and_symmetry) {
    double s, c;
    gjk_sincos(0.0, &s, &c);
    ck_assert(s == 0 && !signbit(s) && c == 1);
    gjk_sincos(-0.0, &s, &c);
    ck_assert(s == 0 && signbit(s) && c == 1);
    test_rng rng = test_rng_make(7);
    for (int i = 0; i < CASES; i++) {
        double angle = test_rng_magnitude(&rng, -10, 10), s2, c2;
        gjk_sincos(angle, &s, &c);
        gjk_sincos(-angle, &s2, &c2);
        ck_assert(s2 == -s && c2 == c);
        ck_assert(fabs(s * s + c * c - 1) <= 4 * DBL_EPSILON);
    }
}

/* The same bits with every compiler and optimisation: their FNV hash. */
TEST(the_bits_are_the_same_everywhere) {
    uint64_t hash = 0xcbf29ce484222325u;
    test_rng rng = test_rng_make(8);
    for (int i = 0; i < CASES; i++) {
        double values[2];
        double mantissa = (double)(test_rng_next(&rng) >> 11);
        double angle = ldexp(mantissa, test_rng_integer(&rng, -70, 20));
        gjk_sincos(angle, &values[0], &values[1]);
        unsigned char bytes[sizeof values];
        memcpy(bytes, values, sizeof values);
        for (size_t k = 0; k < sizeof bytes; k++) {
            hash = (hash ^ bytes[k]) * 0x100000001b3u;
        }
    }
    ck_assert_uint_eq(hash, UINT64_C(16323363234993503996));
}
