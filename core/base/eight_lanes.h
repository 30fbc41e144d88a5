#ifndef GJK_BASE_EIGHT_LANES_H
#define GJK_BASE_EIGHT_LANES_H

/* Eight doubles side by side, in the registers of this form. lanes_plain.h documents the other
 * functions. */

#include "base/lanes.h"

#if defined(LANES_AVX512)
#include "base/lanes_avx512.h"
#elif defined(LANES_AVX2)
#include "base/lanes_avx2.h"
#else
#include "base/lanes_plain.h"
#endif

/* Returns one of the 16 lanes of a and b, in all lanes. */
#ifndef LANES_AVX512
LANES_INLINE lanes lanes_pick(lanes a, lanes b, uint32_t lane) {
    _Alignas(64) double both[16];
    lanes_store(both, a);
    lanes_store(both + 8, b);
    return lanes_all(both[lane]);
}
#endif

#endif
