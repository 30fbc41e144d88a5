/*
 * The scan of edges with AVX2: as scan_edges_avx512.c, with four edges at a time.
 */

#include "pair/scan_edges.h"

#ifdef GJK_SCAN_X86

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256d dot(__m256d ax, __m256d ay, __m256d bx, __m256d by) {
    return _mm256_add_pd(_mm256_mul_pd(ax, bx), _mm256_mul_pd(ay, by));
}

AVX2 static void turn(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->b->columns, *y = x + f->b->stride, *edges = gjk_edges_of(f->b);
    const uint32_t stride = f->b->stride;
    __m256d r00 = _mm256_set1_pd(f->row0.x), r01 = _mm256_set1_pd(f->row0.y);
    __m256d r10 = _mm256_set1_pd(f->row1.x), r11 = _mm256_set1_pd(f->row1.y);
    __m256d tx = _mm256_set1_pd(f->translation.x), ty = _mm256_set1_pd(f->translation.y);
    for (uint32_t i = 0; i < stride; i += 4) {
        __m256d u = _mm256_load_pd(x + i), v = _mm256_load_pd(y + i);
        _mm256_store_pd(b->x + i, _mm256_add_pd(dot(r00, r01, u, v), tx));
        _mm256_store_pd(b->y + i, _mm256_add_pd(dot(r10, r11, u, v), ty));
        if (gjk_has_edges(f->b)) {
            u = _mm256_load_pd(edges + i);
            v = _mm256_load_pd(edges + stride + i);
            __m256d nx = dot(r00, r01, u, v), ny = dot(r10, r11, u, v);
            _mm256_store_pd(b->normal_x + i, nx);
            _mm256_store_pd(b->normal_y + i, ny);
            _mm256_store_pd(b->offset + i,
                            _mm256_add_pd(_mm256_load_pd(edges + 2 * (size_t)stride + i),
                                          dot(nx, ny, tx, ty)));
        }
    }
}

/* The gaps along four normals. */
AVX2 static inline __m256d gaps(const double *normal_x, const double *normal_y,
                                const double *offset, const double *x, const double *y,
                                uint32_t count) {
    __m256d nx = _mm256_load_pd(normal_x), ny = _mm256_load_pd(normal_y);
    __m256d least = _mm256_set1_pd(INFINITY);
    for (uint32_t i = 0; i < count; i++) {
        __m256d along = dot(nx, ny, _mm256_set1_pd(x[i]), _mm256_set1_pd(y[i]));
        least = _mm256_min_pd(along, least);
    }
    return _mm256_sub_pd(least, _mm256_load_pd(offset));
}

/* The lowest index whose value is the largest of all lanes, and that value. */
AVX2 static inline uint32_t best_lane(__m256d most, __m256d block, double *largest) {
    __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(most), _mm256_extractf128_pd(most, 1));
    __m128d one = _mm_max_pd(pair, _mm_unpackhi_pd(pair, pair));
    *largest = _mm_cvtsd_f64(one);
    __m256d equal = _mm256_cmp_pd(most, _mm256_broadcastsd_pd(one), _CMP_EQ_OQ);
    __m256d index = _mm256_add_pd(block, _mm256_setr_pd(0, 1, 2, 3));
    index = _mm256_blendv_pd(_mm256_set1_pd(INFINITY), index, equal);
    pair = _mm_min_pd(_mm256_castpd256_pd128(index), _mm256_extractf128_pd(index, 1));
    one = _mm_min_pd(pair, _mm_unpackhi_pd(pair, pair));
    return (uint32_t)_mm_cvtsd_f64(one);
}

AVX2 gjk_gap2 gjk_scan_edges_avx2(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->a->columns, *y = x + f->a->stride, *edges = gjk_edges_of(f->a);
    const uint32_t stride_a = gjk_has_edges(f->a) ? f->a->stride : 0;
    const uint32_t stride_b = gjk_has_edges(f->b) ? f->b->stride : 0;
    turn(f, b);
    __m256d most = _mm256_set1_pd(-INFINITY), block = _mm256_setzero_pd();
    for (uint32_t i = 0; i < stride_a; i += 4) {
        __m256d here = gaps(edges + i, edges + stride_a + i, edges + 2 * (size_t)stride_a + i, b->x,
                            b->y, f->b->count);
        __m256d better = _mm256_cmp_pd(here, most, _CMP_GT_OQ);
        most = _mm256_blendv_pd(most, here, better);
        block = _mm256_blendv_pd(block, _mm256_set1_pd(i), better);
    }
    for (uint32_t i = 0; i < stride_b; i += 4) {
        __m256d here = gaps(b->normal_x + i, b->normal_y + i, b->offset + i, x, y, f->a->count);
        __m256d better = _mm256_cmp_pd(here, most, _CMP_GT_OQ);
        most = _mm256_blendv_pd(most, here, better);
        block = _mm256_blendv_pd(block, _mm256_set1_pd(GJK_EDGES_MAX + i), better);
    }
    double gap;
    uint32_t least = best_lane(most, block, &gap);
    return (gjk_gap2){gap, least % GJK_EDGES_MAX, least >= GJK_EDGES_MAX};
}

#endif
