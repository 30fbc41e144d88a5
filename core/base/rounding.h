#ifndef GJK_BASE_ROUNDING_H
#define GJK_BASE_ROUNDING_H

#include <stdbool.h>

/*
 * A few units in the last place: differences below GJK_ROUNDING * scale, scale
 * being the magnitude of the numbers at hand, are rounding errors of a support
 * point's coordinates (two products, two sums and a difference each).
 */
#define GJK_ROUNDING 0x1p-51

/*
 * The gap of the bounds that ends an iteration: rounding for clouds, whatever the
 * tolerance; for curves a part of the tolerance, so that a pair that is moved by the
 * answered depth still touches within the whole of it.
 */
static inline double gjk_close_enough(bool curved, double rounding, double tolerance) {
    return curved && 0.25 * tolerance > rounding ? 0.25 * tolerance : rounding;
}

#endif
