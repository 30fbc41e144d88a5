/*
 * Scans four points at a time; the same method as in scan_avx512.c.
 */

#include "shape/scan.h"

#ifdef GJK_SCAN_X86

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* The lowest index whose value is the largest of all lanes. */
AVX2 static inline uint32_t best_lane(__m256d most, __m256d block) {
    __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(most), _mm256_extractf128_pd(most, 1));
    __m128d one = _mm_max_pd(pair, _mm_unpackhi_pd(pair, pair));
    __m256d largest = _mm256_cmp_pd(most, _mm256_broadcastsd_pd(one), _CMP_EQ_OQ);
    __m256d index = _mm256_add_pd(block, _mm256_setr_pd(0, 1, 2, 3));
    index = _mm256_blendv_pd(_mm256_set1_pd(INFINITY), index, largest);
    pair = _mm_min_pd(_mm256_castpd256_pd128(index), _mm256_extractf128_pd(index, 1));
    one = _mm_min_pd(pair, _mm_unpackhi_pd(pair, pair));
    return (uint32_t)_mm_cvtsd_f64(one);
}

AVX2 uint32_t gjk_scan2_avx2(const gjk_shape *cloud, double dx, double dy) {
    const double *x = cloud->columns, *y = x + cloud->stride;
    __m256d u = _mm256_set1_pd(dx), v = _mm256_set1_pd(dy);
    __m256d most = _mm256_set1_pd(-INFINITY), block = _mm256_setzero_pd();
    for (uint32_t i = 0; i < cloud->stride; i += 4) {
        __m256d along = _mm256_add_pd(_mm256_mul_pd(u, _mm256_load_pd(x + i)),
                                      _mm256_mul_pd(v, _mm256_load_pd(y + i)));
        __m256d better = _mm256_cmp_pd(along, most, _CMP_GT_OQ);
        most = _mm256_blendv_pd(most, along, better);
        block = _mm256_blendv_pd(block, _mm256_set1_pd(i), better);
    }
    return best_lane(most, block);
}

AVX2 uint32_t gjk_scan3_avx2(const gjk_columns *cloud, double dx, double dy, double dz) {
    const double *x = cloud->x, *y = x + cloud->stride, *z = y + cloud->stride;
    __m256d u = _mm256_set1_pd(dx), v = _mm256_set1_pd(dy), w = _mm256_set1_pd(dz);
    __m256d most = _mm256_set1_pd(-INFINITY), block = _mm256_setzero_pd();
    for (uint32_t i = 0; i < cloud->stride; i += 4) {
        __m256d along = _mm256_add_pd(_mm256_mul_pd(u, _mm256_load_pd(x + i)),
                                      _mm256_mul_pd(v, _mm256_load_pd(y + i)));
        along = _mm256_add_pd(along, _mm256_mul_pd(w, _mm256_load_pd(z + i)));
        __m256d better = _mm256_cmp_pd(along, most, _CMP_GT_OQ);
        most = _mm256_blendv_pd(most, along, better);
        block = _mm256_blendv_pd(block, _mm256_set1_pd(i), better);
    }
    return best_lane(most, block);
}

#endif
