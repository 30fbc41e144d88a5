#ifndef GJK_BASE_FINITE_H
#define GJK_BASE_FINITE_H

/* Checks that every constructor makes of its numbers. */

#include <math.h>

#include "gjk/base.h"

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
