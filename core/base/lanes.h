#ifndef GJK_BASE_LANES_H
#define GJK_BASE_LANES_H

/*
 * Kernels over lanes (SIMD). A source named *_lanes.c is compiled once without options, for every
 * processor, and on x86-64 again with LANES_AVX2 and with LANES_AVX512. Callers choose among these
 * three forms at each call.
 */

#include <stdbool.h>
#include <stdint.h>

/* Instruction set of a form, and its function names: name_plain, name_avx2 or name_avx512. */
#if defined(LANES_AVX512)
#define LANES_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define LANES_FORM(name) name##_avx512
#elif defined(LANES_AVX2)
#define LANES_TARGET __attribute__((target("avx2")))
#define LANES_FORM(name) name##_avx2
#else
#define LANES_TARGET
#define LANES_FORM(name) name##_plain
#endif

/* True in the build for size, which leaves out kernels that only save time. */
#ifdef __OPTIMIZE_SIZE__ /* inlined everywhere they would be a quarter of the library */
#define GJK_IS_SMALL true
#define LANES_INLINE LANES_TARGET static inline
#else
#define GJK_IS_SMALL false
#define LANES_INLINE LANES_TARGET static inline __attribute__((always_inline))
#endif

/* Returns the condition, computed as a whole: compilers would branch on its first half. */
LANES_INLINE bool lanes_unbranched(bool condition) {
    uint32_t bits = condition;
    __asm__("" : "+r"(bits));
    return bits != 0;
}

#ifdef __x86_64__
#define GJK_SCAN_X86 1

/* Return true if the processor has the instruction set. Cost: a load and a test. */
static inline bool gjk_has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
static inline bool gjk_has_avx512(void) {
    return (__builtin_cpu_supports("avx512dq") != 0) & (__builtin_cpu_supports("avx512vl") != 0);
}

/* Chooses the fastest of three forms that this processor can run. */
#define GJK_FASTEST(plain, avx2, avx512) \
    (gjk_has_avx512() ? (avx512) : gjk_has_avx2() ? (avx2) : (plain))
#else
#define GJK_FASTEST(plain, avx2, avx512) (plain)
#endif

#endif
