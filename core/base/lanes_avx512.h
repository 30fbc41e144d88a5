#ifndef GJK_BASE_LANES_AVX512_H
#define GJK_BASE_LANES_AVX512_H

/* Eight doubles in one AVX-512 register. lanes_plain.h documents each function. */

#include "base/lanes.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef __m512d lanes;

LANES_INLINE lanes lanes_all(double x) {
    return _mm512_set1_pd(x);
}
LANES_INLINE lanes lanes_spread(const double *p) {
    lanes a = _mm512_set1_pd(*p);
    __asm__("" : "+v"(a));
    return a;
}
LANES_INLINE lanes lanes_load(const double *p) {
    return _mm512_load_pd(p);
}
LANES_INLINE lanes lanes_load_any(const double *p) {
    return _mm512_loadu_pd(p);
}
LANES_INLINE lanes lanes_load_floats(const float *p) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
LANES_INLINE void lanes_store(double *p, lanes a) {
    _mm512_store_pd(p, a);
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return _mm512_add_pd(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return _mm512_sub_pd(a, b);
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return _mm512_mul_pd(a, b);
}
LANES_INLINE lanes lanes_root(lanes a) {
    return _mm512_sqrt_pd(a);
}
LANES_INLINE lanes lanes_divide(lanes a, lanes b) {
    return _mm512_div_pd(a, b);
}
LANES_INLINE lanes lanes_smaller(lanes a, lanes b) {
    return _mm512_min_pd(a, b);
}
LANES_INLINE lanes lanes_larger(lanes a, lanes b) {
    return _mm512_max_pd(a, b);
}
LANES_INLINE uint32_t lanes_above(lanes a, lanes b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
LANES_INLINE uint32_t lanes_not_below(lanes a, lanes b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}
LANES_INLINE uint32_t lanes_equal(lanes a, lanes b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
LANES_INLINE uint32_t lanes_equal_or_nan(lanes a, lanes b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_UQ);
}
LANES_INLINE lanes lanes_where_less(lanes a, lanes b, lanes yes, lanes no) {
    return _mm512_mask_mov_pd(no, _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), yes);
}
/* Reduces by halves, which needs fewer shuffles across the register than a reduction of all
 * lanes. */
LANES_INLINE lanes lanes_largest(lanes a) {
    const __m256d four = _mm256_max_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm512_broadcastsd_pd(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}

LANES_INLINE lanes lanes_least(lanes a) {
    const __m256d four = _mm256_min_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm512_broadcastsd_pd(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
}
LANES_INLINE lanes lanes_pick(lanes a, lanes b, uint32_t lane) {
    return _mm512_permutex2var_pd(a, _mm512_set1_epi64(lane), b);
}
LANES_INLINE lanes lanes_numbers(void) {
    return _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
}
LANES_INLINE double lanes_first(lanes a) {
    return _mm512_cvtsd_f64(a);
}
LANES_INLINE __m128d lanes_first_two(lanes a) {
    return _mm512_castpd512_pd128(a);
}

#endif
