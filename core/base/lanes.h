#ifndef GJK_BASE_LANES_H
#define GJK_BASE_LANES_H

/* The choice among kernels that are written once over eight lanes, in a header, and compiled for
 * each instruction set by a file that includes one of lanes_*.h before it. */

#include <stdbool.h>

#if defined(__x86_64__) && !defined(GJK_SCAN_PLAIN)
#define GJK_SCAN_X86 1

/* Return true if the processor has the instruction set. Cost: a load and a test. */
static inline bool gjk_has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
static inline bool gjk_has_avx512(void) {
#ifdef GJK_SCAN_AVX2 /* tests the second variant on processors that have the first */
    return false;
#else
    return (__builtin_cpu_supports("avx512dq") != 0) & (__builtin_cpu_supports("avx512vl") != 0);
#endif
}

/* The fastest of three forms that this processor can run. */
#define GJK_FASTEST(plain, avx2, avx512) \
    (gjk_has_avx512() ? (avx512) : gjk_has_avx2() ? (avx2) : (plain))
#else
#define GJK_FASTEST(plain, avx2, avx512) (plain)
#endif

#endif
