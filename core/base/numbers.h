#ifndef GJK_BASE_NUMBERS_H
#define GJK_BASE_NUMBERS_H

/* Comparison and rounding of numbers, and the constructors' checks of them. */

#include "gjk/base.h"

#include <math.h>
#include <stdbool.h>

/* Return the larger and the smaller of two numbers. Inline, unlike fmax and fmin, which are calls
 * into libm because of NaN (which does not occur here) and leave the sign of a zero open. */
static inline double gjk_larger(double a, double b) {
    return a > b ? a : b;
}
static inline double gjk_smaller(double a, double b) {
    return a < b ? a : b;
}

/* Compares two numbers, neither NaN, for an order: -1, 0 or 1. */
#define GJK_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Relative rounding error of a support point's coordinates (two products, two sums and a difference
 * each): differences below GJK_ROUNDING * scale, where scale is the magnitude of the operands, are
 * noise. */
#define GJK_ROUNDING 0x1p-51

/* Returns the gap between the bounds at which an iteration ends: for clouds rounding, whatever the
 * tolerance; for curves a part of the tolerance, so that a pair moved by the computed depth still
 * touches within the full tolerance. */
static inline double gjk_final_gap(bool curved, double rounding, double tolerance) {
    return curved && 0.25 * tolerance > rounding ? 0.25 * tolerance : rounding;
}

/* Checks that a coordinate is finite and at most GJK_COORDINATE_MAX in magnitude. */
static inline gjk_status gjk_check_coordinate(double x) {
    if (!isfinite(x)) {
        return GJK_NOT_FINITE;
    }
    return fabs(x) <= GJK_COORDINATE_MAX ? GJK_OK : GJK_OUT_OF_RANGE;
}

/* Checks coordinates in order. Returns the first failure, of the number with the index *at. */
static inline gjk_status gjk_check_coordinates(const double *numbers, size_t count, size_t *at) {
    gjk_status status = GJK_OK;
    for (size_t i = 0; i < count && status == GJK_OK; i++) {
        status = gjk_check_coordinate(numbers[i]);
        *at = i;
    }
    return status;
}

/* Checks a coordinate that must not be negative. */
static inline gjk_status gjk_check_length(double x) {
    gjk_status status = gjk_check_coordinate(x);
    return status == GJK_OK && x < 0 ? GJK_OUT_OF_RANGE : status;
}

#endif
