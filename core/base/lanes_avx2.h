#ifndef GJK_BASE_LANES_AVX2_H
#define GJK_BASE_LANES_AVX2_H

/* Eight doubles in two AVX registers. lanes_plain.h documents each function. */

#include "base/lanes.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lanes {
    __m256d low, high;
} lanes;

LANES_INLINE lanes lanes_all(double x) {
    return (lanes){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
LANES_INLINE lanes lanes_spread(const double *p) {
    __m256d a = _mm256_set1_pd(*p);
    __asm__("" : "+x"(a));
    return (lanes){a, a};
}
LANES_INLINE lanes lanes_load(const double *p) {
    return (lanes){_mm256_load_pd(p), _mm256_load_pd(p + 4)};
}
LANES_INLINE lanes lanes_load_any(const double *p) {
    return (lanes){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
LANES_INLINE lanes lanes_load_floats(const float *p) {
    return (lanes){_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4))};
}
LANES_INLINE void lanes_store(double *p, lanes a) {
    _mm256_store_pd(p, a.low);
    _mm256_store_pd(p + 4, a.high);
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return (lanes){_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return (lanes){_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return (lanes){_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}
LANES_INLINE lanes lanes_root(lanes a) {
    return (lanes){_mm256_sqrt_pd(a.low), _mm256_sqrt_pd(a.high)};
}
LANES_INLINE lanes lanes_divide(lanes a, lanes b) {
    return (lanes){_mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high)};
}
LANES_INLINE lanes lanes_smaller(lanes a, lanes b) {
    return (lanes){_mm256_min_pd(a.low, b.low), _mm256_min_pd(a.high, b.high)};
}
LANES_INLINE lanes lanes_larger(lanes a, lanes b) {
    return (lanes){_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)};
}
LANES_INLINE uint32_t lanes_bits(__m256d low, __m256d high) {
    return (uint32_t)_mm256_movemask_pd(low) | (uint32_t)_mm256_movemask_pd(high) << 4;
}
LANES_INLINE uint32_t lanes_above(lanes a, lanes b) {
    return lanes_bits(_mm256_cmp_pd(a.low, b.low, _CMP_GT_OQ),
                      _mm256_cmp_pd(a.high, b.high, _CMP_GT_OQ));
}
LANES_INLINE uint32_t lanes_not_below(lanes a, lanes b) {
    return lanes_bits(_mm256_cmp_pd(a.low, b.low, _CMP_GE_OQ),
                      _mm256_cmp_pd(a.high, b.high, _CMP_GE_OQ));
}
LANES_INLINE uint32_t lanes_equal(lanes a, lanes b) {
    return lanes_bits(_mm256_cmp_pd(a.low, b.low, _CMP_EQ_OQ),
                      _mm256_cmp_pd(a.high, b.high, _CMP_EQ_OQ));
}
LANES_INLINE uint32_t lanes_equal_or_nan(lanes a, lanes b) {
    return lanes_bits(_mm256_cmp_pd(a.low, b.low, _CMP_EQ_UQ),
                      _mm256_cmp_pd(a.high, b.high, _CMP_EQ_UQ));
}
LANES_INLINE lanes lanes_where_less(lanes a, lanes b, lanes yes, lanes no) {
    return (lanes){_mm256_blendv_pd(no.low, yes.low, _mm256_cmp_pd(a.low, b.low, _CMP_LT_OQ)),
                   _mm256_blendv_pd(no.high, yes.high, _mm256_cmp_pd(a.high, b.high, _CMP_LT_OQ))};
}
LANES_INLINE lanes lanes_largest(lanes a) {
    __m256d b = _mm256_max_pd(a.low, a.high);
    b = _mm256_max_pd(b, _mm256_permute2f128_pd(b, b, 1));
    b = _mm256_max_pd(b, _mm256_permute_pd(b, 0x5));
    return (lanes){b, b};
}

LANES_INLINE lanes lanes_least(lanes a) {
    __m256d b = _mm256_min_pd(a.low, a.high);
    b = _mm256_min_pd(b, _mm256_permute2f128_pd(b, b, 1));
    b = _mm256_min_pd(b, _mm256_permute_pd(b, 0x5));
    return (lanes){b, b};
}
LANES_INLINE lanes lanes_numbers(void) {
    return (lanes){_mm256_setr_pd(0, 1, 2, 3), _mm256_setr_pd(4, 5, 6, 7)};
}
LANES_INLINE double lanes_first(lanes a) {
    return _mm256_cvtsd_f64(a.low);
}
LANES_INLINE __m128d lanes_first_two(lanes a) {
    return _mm256_castpd256_pd128(a.low);
}

#endif
