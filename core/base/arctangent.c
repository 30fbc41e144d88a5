/*
 * The angle of a vector (atan2), the same bits on every machine.
 *
 * A polynomial gives the angle within 1.2e-5 (Hastings, Approximations for Digital Computers,
 * 1955, sheet 10). The vector is turned back by that angle with our own sine and cosine; what
 * remains is so near to the axis that two terms of the series of the arctangent suffice for it.
 */

#include "base/angle.h"

#include "base/double_double.h"

#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54

/* a * b - c * d, rounded about once. */
static double difference_of_products(double a, double b, double c, double d) {
    gjk_double_double p = gjk_two_product(a, b), q = gjk_two_product(c, d);
    return (p.high - q.high) + (p.low - q.low);
}

/* The angle of (large, small), 0 < small <= large, as an approximation and its correction. */
static gjk_double_double angle_below_diagonal(double small, double large) {
    double z = small / large, square = z * z;
    double sum = -0.0851330 + square * 0.0208351;
    sum = 0.1801410 + square * sum;
    sum = -0.3302995 + square * sum;
    double guess = z * (0.9998660 + square * sum), s, c;
    gjk_sincos(guess, &s, &c);
    double rest = difference_of_products(small, c, large, s) / (large * c + small * s);
    return (gjk_double_double){guess, rest - rest * rest * rest / 3.0};
}

/* quarters * pi/2 - angle; quarters is 1 or 2. */
static gjk_double_double count_back_from(double quarters, gjk_double_double angle) {
    gjk_double_double rest = gjk_two_difference(quarters * HALF_PI, angle.high);
    return (gjk_double_double){rest.high, rest.low + (quarters * HALF_PI_LOW - angle.low)};
}

double gjk_atan2(double y, double x) {
    GJK_ASSERT(isfinite(x) && isfinite(y));
    double width = fabs(x), height = fabs(y);
    double small = fmin(width, height), large = fmax(width, height);
    gjk_double_double angle = {0.0, 0.0};
    if (small > 0.0) {
        /* Only the ratio matters: scaled, no product overflows or loses digits to underflow. */
        int exponent;
        (void)frexp(large, &exponent);
        angle = angle_below_diagonal(ldexp(small, -exponent), ldexp(large, -exponent));
    }
    if (height > width) {
        angle = count_back_from(1, angle);
    }
    if (signbit(x)) {
        angle = count_back_from(2, angle);
    }
    return copysign(angle.high + angle.low, y);
}
