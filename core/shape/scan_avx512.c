/*
 * Scans eight points at a time. Each lane keeps its own best value and the block that it came
 * from; the lanes are compared at the end. Columns are padded with copies of the first point,
 * which never win against it, so no tail is left.
 */

#include "shape/scan.h"

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

AVX512 static inline __m512d along3(const gjk_columns *cloud, uint32_t i, __m512d u, __m512d v,
                                    __m512d w) {
    const double *x = cloud->x + i, *y = x + cloud->stride, *z = y + cloud->stride;
    __m512d along =
        _mm512_add_pd(_mm512_mul_pd(u, _mm512_load_pd(x)), _mm512_mul_pd(v, _mm512_load_pd(y)));
    return _mm512_add_pd(along, _mm512_mul_pd(w, _mm512_load_pd(z)));
}

/* Which lanes have this value, from lane `first` on. */
AVX512 static inline uint32_t lanes_of(__m512d values, __m512d value, uint32_t first) {
    return (uint32_t)_mm512_cmp_pd_mask(values, value, _CMP_EQ_OQ) << first;
}

/* Up to 32 points stay in registers: first the largest value of all, then the lanes that have
 * it. */
AVX512 static inline uint32_t scan_few(const gjk_columns *cloud, __m512d u, __m512d v, __m512d w) {
    __m512d a = along3(cloud, 0, u, v, w), b = a, c = a, d = a;
    if (cloud->stride > 8) {
        b = along3(cloud, 8, u, v, w);
    }
    if (cloud->stride > 16) {
        c = along3(cloud, 16, u, v, w);
        d = cloud->stride > 24 ? along3(cloud, 24, u, v, w) : a;
    }
    __m512d most = _mm512_max_pd(_mm512_max_pd(a, b), _mm512_max_pd(c, d));
    most = _mm512_set1_pd(_mm512_reduce_max_pd(most));
    return (uint32_t)__builtin_ctz(lanes_of(a, most, 0) | lanes_of(b, most, 8) |
                                   lanes_of(c, most, 16) | lanes_of(d, most, 24));
}

AVX512 uint32_t gjk_scan3_avx512(const gjk_columns *cloud, double dx, double dy, double dz) {
    __m512d u = _mm512_set1_pd(dx), v = _mm512_set1_pd(dy), w = _mm512_set1_pd(dz);
    if (cloud->stride == 8) {
        __m512d along = along3(cloud, 0, u, v, w);
        __m512d most = _mm512_set1_pd(_mm512_reduce_max_pd(along));
        return (uint32_t)__builtin_ctz(lanes_of(along, most, 0));
    }
    if (cloud->stride <= 32) {
        return scan_few(cloud, u, v, w);
    }
    __m512d most = _mm512_set1_pd(-INFINITY);
    __m512i block = _mm512_setzero_si512();
    for (uint32_t i = 0; i < cloud->stride; i += 8) {
        __m512d along = along3(cloud, i, u, v, w);
        __mmask8 better = _mm512_cmp_pd_mask(along, most, _CMP_GT_OQ);
        most = _mm512_mask_mov_pd(most, better, along);
        block = _mm512_mask_mov_epi64(block, better, _mm512_set1_epi64(i));
    }
    return best_lane(most, block, cloud->stride);
}

#endif
