/*
 * The scan of edges with AVX-512: eight edges at a time against one point after the other. The
 * minimum over the points is taken lane by lane, and the lanes are compared once at the end.
 */

#include "pair/scan_edges.h"

#ifdef GJK_SCAN_X86

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512dq")))

AVX512 static inline __m512d dot(__m512d ax, __m512d ay, __m512d bx, __m512d by) {
    return _mm512_add_pd(_mm512_mul_pd(ax, bx), _mm512_mul_pd(ay, by));
}

AVX512 static inline void turn(const gjk_frame2 *f, gjk_turned2 *b) {
    const double *x = f->b->columns, *y = x + f->b->stride, *edges = gjk_edges_of(f->b);
    const uint32_t stride = f->b->stride;
    __m512d r00 = _mm512_set1_pd(f->row0.x), r01 = _mm512_set1_pd(f->row0.y);
    __m512d r10 = _mm512_set1_pd(f->row1.x), r11 = _mm512_set1_pd(f->row1.y);
    __m512d tx = _mm512_set1_pd(f->translation.x), ty = _mm512_set1_pd(f->translation.y);
    for (uint32_t i = 0; i < stride; i += 8) {
        __m512d u = _mm512_load_pd(x + i), v = _mm512_load_pd(y + i);
        _mm512_store_pd(b->x + i, _mm512_add_pd(dot(r00, r01, u, v), tx));
        _mm512_store_pd(b->y + i, _mm512_add_pd(dot(r10, r11, u, v), ty));
        if (gjk_has_edges(f->b)) {
            u = _mm512_load_pd(edges + i);
            v = _mm512_load_pd(edges + stride + i);
            __m512d nx = dot(r00, r01, u, v), ny = dot(r10, r11, u, v);
            _mm512_store_pd(b->normal_x + i, nx);
            _mm512_store_pd(b->normal_y + i, ny);
            _mm512_store_pd(b->offset + i,
                            _mm512_add_pd(_mm512_load_pd(edges + 2 * (size_t)stride + i),
                                          dot(nx, ny, tx, ty)));
        }
    }
}

/* The gaps along eight normals. */
AVX512 static inline __m512d gaps(const double *normal_x, const double *normal_y,
                                  const double *offset, const double *x, const double *y,
                                  uint32_t count) {
    __m512d nx = _mm512_load_pd(normal_x), ny = _mm512_load_pd(normal_y);
    __m512d least = _mm512_set1_pd(INFINITY);
    for (uint32_t i = 0; i < count; i++) {
        __m512d along = dot(nx, ny, _mm512_set1_pd(x[i]), _mm512_set1_pd(y[i]));
        least = _mm512_min_pd(along, least);
    }
    return _mm512_sub_pd(least, _mm512_load_pd(offset));
}

/* At most eight edges each: the usual case, without the loops over blocks. */
AVX512 static inline gjk_gap2 scan_eight(const gjk_frame2 *f, const gjk_turned2 *b) {
    const double *x = f->a->columns, *edges = gjk_edges_of(f->a);
    __m512d of_a = _mm512_set1_pd(-INFINITY), of_b = of_a;
    if (gjk_has_edges(f->a)) {
        of_a = gaps(edges, edges + 8, edges + 16, b->x, b->y, f->b->count);
    }
    if (gjk_has_edges(f->b)) {
        of_b = gaps(b->normal_x, b->normal_y, b->offset, x, x + 8, f->a->count);
    }
    double gap = _mm512_reduce_max_pd(_mm512_max_pd(of_a, of_b));
    __m512d most = _mm512_set1_pd(gap);
    uint32_t in_a = _mm512_cmp_pd_mask(of_a, most, _CMP_EQ_OQ);
    uint32_t in_b = _mm512_cmp_pd_mask(of_b, most, _CMP_EQ_OQ);
    return (gjk_gap2){gap, (uint32_t)__builtin_ctz(in_a | in_b << 8) % 8, in_a == 0};
}

/* Any number of edges, block by block: those of a first, then those of b. */
AVX512 static gjk_gap2 scan_blocks(const gjk_frame2 *f, const gjk_turned2 *b) {
    const double *x = f->a->columns, *y = x + f->a->stride, *edges = gjk_edges_of(f->a);
    const uint32_t stride_a = gjk_has_edges(f->a) ? f->a->stride : 0;
    const uint32_t stride_b = gjk_has_edges(f->b) ? f->b->stride : 0;
    __m512d most = _mm512_set1_pd(-INFINITY);
    __m512i block = _mm512_setzero_si512();
    for (uint32_t i = 0; i < stride_a + stride_b; i += 8) {
        uint32_t k = i - stride_a;
        __m512d here =
            i < stride_a ? gaps(edges + i, edges + stride_a + i, edges + 2 * (size_t)stride_a + i,
                                b->x, b->y, f->b->count)
                         : gaps(b->normal_x + k, b->normal_y + k, b->offset + k, x, y, f->a->count);
        __mmask8 better = _mm512_cmp_pd_mask(here, most, _CMP_GT_OQ);
        most = _mm512_mask_mov_pd(most, better, here);
        block = _mm512_mask_mov_epi64(block, better,
                                      _mm512_set1_epi64(i < stride_a ? i : GJK_EDGES_MAX + k));
    }
    double gap = _mm512_reduce_max_pd(most);
    __mmask8 equal = _mm512_cmp_pd_mask(most, _mm512_set1_pd(gap), _CMP_EQ_OQ);
    __m512i index = _mm512_add_epi64(block, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    uint32_t least = (uint32_t)_mm512_mask_reduce_min_epu64(equal, index);
    return (gjk_gap2){gap, least % GJK_EDGES_MAX, least >= GJK_EDGES_MAX};
}

AVX512 gjk_gap2 gjk_scan_edges_avx512(const gjk_frame2 *f, gjk_turned2 *b) {
    turn(f, b);
    return f->a->stride == 8 && f->b->stride == 8 ? scan_eight(f, b) : scan_blocks(f, b);
}

#endif
