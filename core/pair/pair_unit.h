#ifndef GJK_PAIR_PAIR_UNIT_H
#define GJK_PAIR_PAIR_UNIT_H

#include "gjk/shape.h"

/*
 * The unit of length for a pair: 1 for all ordinary sizes, else the power of two
 * that brings the larger of the two sizes and the gap between them near 1.
 * Multiplying by it is exact.
 */
double gjk_pair_unit(const gjk_placed *a, const gjk_placed *b);

/* The same for any magnitude: 1 inside [2^-100, 2^100] and for 0. */
double gjk_unit_of(double magnitude);

/* Whether that is 1, without a call. */
static inline bool gjk_unit_is_one(double magnitude) {
    return magnitude == 0.0 || (magnitude >= 0x1p-100 && magnitude <= 0x1p100);
}

#endif
