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

/* Eight points are halved first, which is done sooner than a mask is moved. */
AVX512 static inline uint32_t scan_eight(const gjk_columns *cloud, __m512d u, __m512d v,
                                         __m512d w) {
    const __m512d along = along3(cloud, 0, u, v, w);
    const __m256d low = _mm512_castpd512_pd256(along), high = _mm512_extractf64x4_pd(along, 1);
    __m256d most = _mm256_max_pd(low, high);
    most = _mm256_max_pd(most, _mm256_permute2f128_pd(most, most, 1));
    most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
    const uint32_t in_low = (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(low, most, _CMP_EQ_OQ));
    const uint32_t in_high = (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(high, most, _CMP_EQ_OQ));
    return (uint32_t)__builtin_ctz(in_low | in_high << 4);
}

/* The best of each lane, and the block that it came from. */
typedef struct lanes3 {
    __m512d most;
    __m512i block;
} lanes3;

/* Each step waits for the maximum before it and for nothing else. */
AVX512 static inline void take_block(lanes3 *lanes, __m512d along, uint32_t i) {
    const __mmask8 better = _mm512_cmp_pd_mask(along, lanes->most, _CMP_GT_OQ);
    lanes->most = _mm512_max_pd(along, lanes->most);
    lanes->block = _mm512_mask_mov_epi64(lanes->block, better, _mm512_set1_epi64(i));
}

/* Two chains of blocks, which do not wait for each other. */
AVX512 static inline uint32_t scan_all(const gjk_columns *cloud, __m512d u, __m512d v, __m512d w) {
    lanes3 a = {along3(cloud, 0, u, v, w), _mm512_setzero_si512()};
    lanes3 b = {_mm512_set1_pd(-INFINITY), _mm512_setzero_si512()};
    uint32_t i = 8;
    for (; i + 8 < cloud->stride; i += 16) {
        take_block(&b, along3(cloud, i, u, v, w), i);
        take_block(&a, along3(cloud, i + 8, u, v, w), i + 8);
    }
    if (i < cloud->stride) {
        take_block(&b, along3(cloud, i, u, v, w), i);
    }
    const __m512d most = _mm512_set1_pd(_mm512_reduce_max_pd(_mm512_max_pd(a.most, b.most)));
    const __mmask8 in_a = _mm512_cmp_pd_mask(a.most, most, _CMP_EQ_OQ);
    const __mmask8 in_b = _mm512_cmp_pd_mask(b.most, most, _CMP_EQ_OQ);
    const __m512i never = _mm512_set1_epi64(UINT32_MAX);
    const __m512i block = _mm512_min_epi64(_mm512_mask_mov_epi64(never, in_a, a.block),
                                           _mm512_mask_mov_epi64(never, in_b, b.block));
    const __m512i index = _mm512_add_epi64(block, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    return (uint32_t)_mm512_reduce_min_epi64(index);
}

AVX512 static inline uint32_t scan3(const gjk_columns *cloud, gjk_vec3 direction) {
    const __m512d u = _mm512_set1_pd(direction.x), v = _mm512_set1_pd(direction.y);
    const __m512d w = _mm512_set1_pd(direction.z);
    if (cloud->stride == 8) {
        return scan_eight(cloud, u, v, w);
    }
    if (cloud->stride <= 32) {
        return scan_few(cloud, u, v, w);
    }
    return scan_all(cloud, u, v, w);
}

AVX512 uint32_t gjk_scan3_avx512(const gjk_columns *cloud, double dx, double dy, double dz) {
    return scan3(cloud, (gjk_vec3){dx, dy, dz});
}

AVX512 void gjk_scan_both3_avx512(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                                  uint32_t index[2]) {
    index[0] = scan3(&cloud[0], direction[0]);
    index[1] = scan3(&cloud[1], direction[1]);
}

/* First the least value of all, then where it is. */
AVX512 uint32_t gjk_scan_least_avx512(const double *values, uint32_t count) {
    __m512d a = _mm512_load_pd(values);
    for (uint32_t i = 8; i < count; i += 8) {
        a = _mm512_min_pd(a, _mm512_load_pd(values + i));
    }
    a = _mm512_set1_pd(_mm512_reduce_min_pd(a));
    for (uint32_t i = 0;; i += 32) {
        uint32_t equal = 0;
        for (uint32_t k = 0; k < 32 && i + k < count; k += 8) {
            equal |= lanes_of(_mm512_load_pd(values + i + k), a, k);
        }
        if (equal != 0) {
            return i + (uint32_t)__builtin_ctz(equal);
        }
    }
}

#endif
