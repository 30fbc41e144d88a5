/* The keys of a node's children by the methods of pieces_keys.c, four children at a time. */

#include "shape/pieces_walk.h"
#include "shape/scan.h"

#ifdef GJK_SCAN_X86

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256d load4(const float *column) {
    return _mm256_cvtps_pd(_mm_loadu_ps(column));
}

AVX2 static inline uint32_t overlap4(const gjk_pieces_query *query, const gjk_pieces_node *node,
                                     uint32_t first) {
    __m256d meets = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    for (uint32_t axis = 0; axis < 3; axis++) {
        const __m256d min = load4(node->min[axis] + first), max = load4(node->max[axis] + first);
        meets =
            _mm256_and_pd(meets, _mm256_cmp_pd(min, _mm256_set1_pd(query->max[axis]), _CMP_LE_OQ));
        meets =
            _mm256_and_pd(meets, _mm256_cmp_pd(max, _mm256_set1_pd(query->min[axis]), _CMP_GE_OQ));
    }
    return (uint32_t)_mm256_movemask_pd(meets) << first;
}

/* The max and min instructions return their second operand where the first is not a number. */
AVX2 static inline uint32_t sweep4(const gjk_pieces_query *query, const gjk_pieces_node *node,
                                   uint32_t first, double bound, double *keys) {
    const __m256d slack = _mm256_set1_pd(GJK_PIECES_TIME_SLACK);
    __m256d from = _mm256_setzero_pd(), until = _mm256_set1_pd(bound);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const __m256d rate = _mm256_set1_pd(query->rate[axis]);
        const __m256d min = load4(node->min[axis] + first), max = load4(node->max[axis] + first);
        const __m256d above =
            _mm256_mul_pd(_mm256_sub_pd(min, _mm256_set1_pd(query->max[axis])), rate);
        const __m256d below =
            _mm256_mul_pd(_mm256_sub_pd(max, _mm256_set1_pd(query->min[axis])), rate);
        const bool forwards = query->rate[axis] > 0.0;
        from = _mm256_max_pd(forwards ? above : below, from);
        until = _mm256_min_pd(_mm256_mul_pd(forwards ? below : above, slack), until);
    }
    _mm256_storeu_pd(keys + first, from);
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(from, until, _CMP_LE_OQ)) << first;
}

AVX2 static inline __m256d add_square(__m256d sum, __m256d min, __m256d max, double low,
                                      double high) {
    const __m256d above = _mm256_sub_pd(min, _mm256_set1_pd(high));
    const __m256d below = _mm256_sub_pd(_mm256_set1_pd(low), max);
    const __m256d gap = _mm256_max_pd(_mm256_max_pd(above, below), _mm256_setzero_pd());
    return _mm256_add_pd(sum, _mm256_mul_pd(gap, gap));
}

AVX2 static inline uint32_t near4(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                  uint32_t first, double *keys) {
    const gjk_pieces_query *query = &walk->query;
    __m256d of_boxes = _mm256_setzero_pd(), of_center = _mm256_setzero_pd();
    for (uint32_t axis = 0; axis < 3; axis++) {
        const __m256d min = load4(node->min[axis] + first), max = load4(node->max[axis] + first);
        const double center = query->center[axis];
        of_boxes = add_square(of_boxes, min, max, query->min[axis], query->max[axis]);
        of_center = add_square(of_center, min, max, center, center);
    }
    const __m256d used =
        _mm256_cmp_pd(load4(node->min[0] + first), load4(node->max[0] + first), _CMP_LE_OQ);
    const __m256d near =
        _mm256_and_pd(_mm256_cmp_pd(of_center, _mm256_set1_pd(walk->bound), _CMP_LE_OQ),
                      _mm256_cmp_pd(of_boxes, _mm256_set1_pd(walk->box_bound), _CMP_LE_OQ));
    _mm256_storeu_pd(keys + first, of_center);
    return (uint32_t)_mm256_movemask_pd(_mm256_and_pd(near, used)) << first;
}

AVX2 uint32_t gjk_pieces_keys_avx2(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                   double keys[GJK_PIECES_WIDTH]) {
    uint32_t found = 0;
    for (uint32_t first = 0; first < GJK_PIECES_WIDTH; first += 4) {
        switch (walk->query.kind) {
        case GJK_WALK_OVERLAP:
            found |= overlap4(&walk->query, node, first);
            _mm256_storeu_pd(keys + first, _mm256_setzero_pd());
            break;
        case GJK_WALK_SWEEP:
            found |= sweep4(&walk->query, node, first, walk->bound, keys);
            break;
        case GJK_WALK_NEAR:
            found |= near4(walk, node, first, keys);
            break;
        }
    }
    return found;
}

#endif
