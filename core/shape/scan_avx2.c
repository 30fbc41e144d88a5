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

AVX2 static inline __m256d along3(const gjk_columns *cloud, uint32_t i, const __m256d d[3]) {
    const double *x = cloud->x + i, *y = x + cloud->stride, *z = y + cloud->stride;
    const __m256d xy = _mm256_add_pd(_mm256_mul_pd(d[0], _mm256_load_pd(x)),
                                     _mm256_mul_pd(d[1], _mm256_load_pd(y)));
    return _mm256_add_pd(xy, _mm256_mul_pd(d[2], _mm256_load_pd(z)));
}

/* The largest of all lanes, in each. */
AVX2 static inline __m256d spread_largest(__m256d a) {
    a = _mm256_max_pd(a, _mm256_permute2f128_pd(a, a, 1));
    return _mm256_max_pd(a, _mm256_permute_pd(a, 5));
}

/* Which lanes have this value, from lane `first` on. */
AVX2 static inline uint32_t lanes_of(__m256d values, __m256d value, uint32_t first) {
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(values, value, _CMP_EQ_OQ)) << first;
}

AVX2 static inline uint32_t scan_eight(const gjk_columns *cloud, const __m256d d[3]) {
    const __m256d a = along3(cloud, 0, d), b = along3(cloud, 4, d);
    const __m256d most = spread_largest(_mm256_max_pd(a, b));
    return (uint32_t)__builtin_ctz(lanes_of(a, most, 0) | lanes_of(b, most, 4));
}

/* Up to 32 points stay in registers. */
AVX2 static inline uint32_t scan_few(const gjk_columns *cloud, const __m256d d[3]) {
    __m256d along[8];
    uint32_t equal = 0;
    along[0] = along3(cloud, 0, d);
    for (uint32_t k = 1; k < 8; k++) {
        along[k] = 4 * k < cloud->stride ? along3(cloud, 4 * k, d) : along[0];
    }
    const __m256d low =
        _mm256_max_pd(_mm256_max_pd(along[0], along[1]), _mm256_max_pd(along[2], along[3]));
    const __m256d high =
        _mm256_max_pd(_mm256_max_pd(along[4], along[5]), _mm256_max_pd(along[6], along[7]));
    const __m256d most = spread_largest(_mm256_max_pd(low, high));
    for (uint32_t k = 0; k < 8; k++) {
        equal |= lanes_of(along[k], most, 4 * k);
    }
    return (uint32_t)__builtin_ctz(equal);
}

/* The best of each lane, and the block that it came from. */
typedef struct lanes3 {
    __m256d most, block;
} lanes3;

/* Each step waits for the maximum before it and for nothing else. */
AVX2 static inline void take_block(lanes3 *lanes, __m256d along, uint32_t i) {
    const __m256d better = _mm256_cmp_pd(along, lanes->most, _CMP_GT_OQ);
    lanes->most = _mm256_max_pd(along, lanes->most);
    lanes->block = _mm256_blendv_pd(lanes->block, _mm256_set1_pd(i), better);
}

/* Two chains of blocks, which do not wait for each other. */
AVX2 static inline uint32_t scan_all(const gjk_columns *cloud, const __m256d d[3]) {
    const __m256d never = _mm256_set1_pd(INFINITY);
    lanes3 a = {along3(cloud, 0, d), _mm256_setzero_pd()};
    lanes3 b = {along3(cloud, 4, d), _mm256_set1_pd(4)};
    for (uint32_t i = 8; i < cloud->stride; i += 8) {
        take_block(&a, along3(cloud, i, d), i);
        take_block(&b, along3(cloud, i + 4, d), i + 4);
    }
    const __m256d most = spread_largest(_mm256_max_pd(a.most, b.most));
    a.block = _mm256_blendv_pd(never, a.block, _mm256_cmp_pd(a.most, most, _CMP_EQ_OQ));
    b.block = _mm256_blendv_pd(never, b.block, _mm256_cmp_pd(b.most, most, _CMP_EQ_OQ));
    const __m256d index =
        _mm256_add_pd(_mm256_min_pd(a.block, b.block), _mm256_setr_pd(0, 1, 2, 3));
    __m128d pair = _mm_min_pd(_mm256_castpd256_pd128(index), _mm256_extractf128_pd(index, 1));
    pair = _mm_min_pd(pair, _mm_unpackhi_pd(pair, pair));
    return (uint32_t)_mm_cvtsd_f64(pair);
}

AVX2 static inline uint32_t scan3(const gjk_columns *cloud, gjk_vec3 direction) {
    const __m256d d[3] = {_mm256_set1_pd(direction.x), _mm256_set1_pd(direction.y),
                          _mm256_set1_pd(direction.z)};
    if (cloud->stride == 8) {
        return scan_eight(cloud, d);
    }
    if (cloud->stride <= 32) {
        return scan_few(cloud, d);
    }
    return scan_all(cloud, d);
}

AVX2 uint32_t gjk_scan3_avx2(const gjk_columns *cloud, double dx, double dy, double dz) {
    return scan3(cloud, (gjk_vec3){dx, dy, dz});
}

AVX2 void gjk_scan_both3_avx2(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                              uint32_t index[2]) {
    index[0] = scan3(&cloud[0], direction[0]);
    index[1] = scan3(&cloud[1], direction[1]);
}

/* First the least value of all, then where it is. */
AVX2 uint32_t gjk_scan_least_avx2(const double *values, uint32_t count) {
    __m256d a = _mm256_load_pd(values), b = _mm256_load_pd(values + 4);
    for (uint32_t i = 8; i < count; i += 8) {
        a = _mm256_min_pd(a, _mm256_load_pd(values + i));
        b = _mm256_min_pd(b, _mm256_load_pd(values + i + 4));
    }
    a = _mm256_min_pd(a, b);
    a = _mm256_min_pd(a, _mm256_permute2f128_pd(a, a, 1));
    a = _mm256_min_pd(a, _mm256_permute_pd(a, 5));
    for (uint32_t i = 0;; i += 16) {
        uint32_t equal = 0;
        for (uint32_t k = 0; k < 16 && i + k < count; k += 4) {
            equal |= lanes_of(_mm256_load_pd(values + i + k), a, k);
        }
        if (equal != 0) {
            return i + (uint32_t)__builtin_ctz(equal);
        }
    }
}

#endif
