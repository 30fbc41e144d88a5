#ifndef GJK_RAY_CASTS_FIRST_ZERO_H
#define GJK_RAY_CASTS_FIRST_ZERO_H

#include "gjk/shape.h"

/* A height of each point r of a cloud, less its offset, that changes with d: start + up.r + d (rate + swing.r) -
 * curve d^2 / 2, curve >= 0. */
typedef struct gjk_swinging {
    gjk_vec3 up, swing;
    double start, rate, curve;
} gjk_swinging;

/* Returns the least d >= 0 at which one of the heights is 0, 0 where one begins below; INFINITY:
 * there is none. One function for each instruction set, with the same bits. */
typedef double gjk_first_zero(const gjk_shape *cloud, const gjk_swinging *heights);
extern gjk_first_zero *const gjk_first_zero_plain, *const gjk_first_zero_avx2,
                                                       *const gjk_first_zero_avx512;

#endif
