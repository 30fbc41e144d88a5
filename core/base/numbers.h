#ifndef GJK_BASE_NUMBERS_H
#define GJK_BASE_NUMBERS_H

/* Comparisons of numbers, the rounding of coordinates, and checks of what constructors are
 * given. */

#include "gjk/base.h"

#include <math.h>
#include <stdbool.h>

/* The larger and the smaller of two numbers, inline. fmax and fmin are calls into libm (they treat
 * NaN, which does not come here) and leave the sign of a zero to it. */
static inline double gjk_larger(double a, double b) {
    return a > b ? a : b;
}
static inline double gjk_smaller(double a, double b) {
    return a < b ? a : b;
}

/* A few units in the last place: differences below GJK_ROUNDING * scale, scale being the magnitude
 * of the numbers at hand, are rounding errors of a support point's coordinates (two products, two
 * sums and a difference each). */
#define GJK_ROUNDING 0x1p-51

/* The gap of the bounds that ends an iteration: rounding for clouds, whatever the tolerance; for
 * curves a part of the tolerance, so that a pair that is moved by the answered depth still touches
 * within the whole of it. */
static inline double gjk_close_enough(bool curved, double rounding, double tolerance) {
    return curved && 0.25 * tolerance > rounding ? 0.25 * tolerance : rounding;
}

/* Checks that every constructor makes of its numbers. */

/* A coordinate: finite and at most GJK_COORDINATE_MAX in magnitude. */
static inline gjk_status gjk_check_coordinate(double x) {
    if (!isfinite(x)) {
        return GJK_NOT_FINITE;
    }
    return fabs(x) <= GJK_COORDINATE_MAX ? GJK_OK : GJK_OUT_OF_RANGE;
}

/* A coordinate that must not be negative either. */
static inline gjk_status gjk_check_length(double x) {
    gjk_status status = gjk_check_coordinate(x);
    return status == GJK_OK && x < 0 ? GJK_OUT_OF_RANGE : status;
}

#endif
