/*
 * Eight points at a time, each lane keeping its own best and the block it came from;
 * the lanes are compared at the end. Columns are padded with their first point, whose
 * copies never win against it, so there is no tail.
 */

#include "scan.h"

#ifdef GJK_SCAN_X86

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512dq")))

/* The lowest index whose value is the largest of all lanes. */
AVX512 static inline uint32_t best_lane(__m512d most, __m512i block, uint32_t stride) {
    __mmask8 largest =
        _mm512_cmp_pd_mask(most, _mm512_set1_pd(_mm512_reduce_max_pd(most)), _CMP_EQ_OQ);
    if (stride == 8) {
        return (uint32_t)__builtin_ctz(largest);
    }
    __m512i index = _mm512_add_epi64(block, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    return (uint32_t)_mm512_mask_reduce_min_epu64(largest, index);
}

AVX512 uint32_t gjk_scan2_avx512(const gjk_shape *cloud, double dx, double dy) {
    const double *x = cloud->columns, *y = x + cloud->stride;
    __m512d u = _mm512_set1_pd(dx), v = _mm512_set1_pd(dy);
    __m512d most = _mm512_set1_pd(-INFINITY);
    __m512i block = _mm512_setzero_si512();
    for (uint32_t i = 0; i < cloud->stride; i += 8) {
        __m512d along = _mm512_add_pd(_mm512_mul_pd(u, _mm512_load_pd(x + i)),
                                      _mm512_mul_pd(v, _mm512_load_pd(y + i)));
        __mmask8 better = _mm512_cmp_pd_mask(along, most, _CMP_GT_OQ);
        most = _mm512_mask_mov_pd(most, better, along);
        block = _mm512_mask_mov_epi64(block, better, _mm512_set1_epi64(i));
    }
    return best_lane(most, block, cloud->stride);
}

AVX512 uint32_t gjk_scan3_avx512(const gjk_shape *cloud, double dx, double dy, double dz) {
    const double *x = cloud->columns, *y = x + cloud->stride, *z = y + cloud->stride;
    __m512d u = _mm512_set1_pd(dx), v = _mm512_set1_pd(dy), w = _mm512_set1_pd(dz);
    __m512d most = _mm512_set1_pd(-INFINITY);
    __m512i block = _mm512_setzero_si512();
    for (uint32_t i = 0; i < cloud->stride; i += 8) {
        __m512d along = _mm512_add_pd(_mm512_mul_pd(u, _mm512_load_pd(x + i)),
                                      _mm512_mul_pd(v, _mm512_load_pd(y + i)));
        along = _mm512_add_pd(along, _mm512_mul_pd(w, _mm512_load_pd(z + i)));
        __mmask8 better = _mm512_cmp_pd_mask(along, most, _CMP_GT_OQ);
        most = _mm512_mask_mov_pd(most, better, along);
        block = _mm512_mask_mov_epi64(block, better, _mm512_set1_epi64(i));
    }
    return best_lane(most, block, cloud->stride);
}

#endif
