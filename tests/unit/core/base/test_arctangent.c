/* Is the angle of a vector right to the last places, for every vector, always the same? */

#include "base/angle.h"

#include <float.h>
#include <string.h>

#include "support/rng.h"
#include "support/test.h"

#define CASES 100000

/* Documented: within two units in the last place. Meant: within this. */
#define ERROR_MAX_ULPS 1.5

static double error_ulps(double value, long double reference) {
    int exponent;
    frexpl(reference, &exponent);
    return (double)fabsl(((long double)value - reference) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static void check_vector(double y, double x) {
    const double error_max = LDBL_MANT_DIG >= 64 ? ERROR_MAX_ULPS : 2.5;
    double angle = gjk_atan2(y, x);
    ck_assert_msg(error_ulps(angle, atan2l(y, x)) <= error_max, "atan2(%a, %a) = %a, not %a", y, x,
                  angle, (double)atan2l(y, x));
}

TEST(vectors_of_all_directions) {
    test_rng rng = test_rng_make(11);
    for (int i = 0; i < CASES; i++) {
        check_vector(test_rng_uniform(&rng, -1, 1), test_rng_uniform(&rng, -1, 1));
    }
}

TEST(vectors_of_all_lengths_and_slopes) {
    test_rng rng = test_rng_make(12);
    for (int i = 0; i < CASES; i++) {
        double y = test_rng_magnitude(&rng, -150, 150), x = test_rng_magnitude(&rng, -150, 150);
        check_vector(i & 1 ? y : -y, i & 2 ? x : -x);
        x = y * test_rng_magnitude(&rng, -20, 20);
        check_vector(i & 1 ? y : -y, i & 2 ? x : -x);
    }
}

/* Beside the axes and the diagonals the method counts from elsewhere. */
TEST(neighbours_of_eighth_turns) {
    test_rng rng = test_rng_make(13);
    for (int i = 0; i < CASES; i++) {
        double x = test_rng_uniform(&rng, -1, 1);
        double y = x * (1 + ldexp(1, -test_rng_integer(&rng, 0, 52)));
        check_vector(y, x);
        check_vector(-y, x);
        check_vector(x, y);
        check_vector(x, ldexp(x, -test_rng_integer(&rng, 0, 60)));
        check_vector(ldexp(x, -test_rng_integer(&rng, 0, 60)), x);
    }
}

/* As libm says it, signs of zeros included. */
TEST(zeros_and_axes) {
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 1e-300, -1e300};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            double expected = atan2(values[i], values[k]), angle = gjk_atan2(values[i], values[k]);
            ck_assert_msg(angle == expected && signbit(angle) == signbit(expected),
                          "atan2(%g, %g) = %a, not %a", values[i], values[k], angle, expected);
        }
    }
}

/* The same bits with every compiler and optimisation: their FNV hash. */
TEST(the_bits_are_the_same_everywhere) {
    uint64_t hash = 0xcbf29ce484222325u;
    test_rng rng = test_rng_make(14);
    for (int i = 0; i < CASES; i++) {
        double mantissa = (double)(test_rng_next(&rng) >> 11);
        double y = ldexp(mantissa, test_rng_integer(&rng, -70, -30));
        mantissa = (double)(test_rng_next(&rng) >> 11);
        double x = ldexp(mantissa, test_rng_integer(&rng, -70, -30));
        double angle = gjk_atan2(i & 1 ? y : -y, i & 2 ? x : -x);
        unsigned char bytes[sizeof angle];
        memcpy(bytes, &angle, sizeof angle);
        for (size_t k = 0; k < sizeof bytes; k++) {
            hash = (hash ^ bytes[k]) * 0x100000001b3u;
        }
    }
    ck_assert_uint_eq(hash, UINT64_C(12082985173727714068));
}
