/*
 * The keys of a node's branches by the methods of keys_plain.c, four branches at a time.
 */

#include "tree/node.h"

#ifdef GJK_SCAN_X86

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Of the four branches from `first` on. */
AVX2 static inline __m256d find_looseness(const gjk_query_bounds *query, const gjk_tree_node *node,
                                          uint32_t first) {
    __m256d loose = _mm256_setzero_pd();
    for (uint32_t axis = 0; query->looseness > 0.0 && axis < query->dimension; axis++) {
        __m256d side = _mm256_sub_pd(_mm256_loadu_pd(node->max[axis] + first),
                                     _mm256_loadu_pd(node->min[axis] + first));
        loose = _mm256_max_pd(_mm256_mul_pd(side, _mm256_set1_pd(query->looseness)), loose);
    }
    return loose;
}

/* How far the branches begin above the query's box and end below it, on one axis. */
typedef struct gjk_sides {
    __m256d above, below;
} gjk_sides;

AVX2 static inline gjk_sides find_sides(const gjk_query_bounds *query, const gjk_tree_node *node,
                                        uint32_t first, uint32_t axis, __m256d loose) {
    __m256d min = _mm256_sub_pd(_mm256_loadu_pd(node->min[axis] + first), loose);
    __m256d max = _mm256_add_pd(_mm256_loadu_pd(node->max[axis] + first), loose);
    return (gjk_sides){_mm256_sub_pd(min, _mm256_set1_pd(query->max[axis])),
                       _mm256_sub_pd(max, _mm256_set1_pd(query->min[axis]))};
}

AVX2 static inline uint32_t overlap4(const gjk_query_bounds *query, const gjk_tree_node *node,
                                     uint32_t first) {
    __m256d loose = find_looseness(query, node, first), zero = _mm256_setzero_pd();
    __m256d meets = _mm256_cmp_pd(zero, zero, _CMP_EQ_OQ);
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        gjk_sides sides = find_sides(query, node, first, axis, loose);
        meets = _mm256_and_pd(meets, _mm256_cmp_pd(sides.above, zero, _CMP_LE_OQ));
        meets = _mm256_and_pd(meets, _mm256_cmp_pd(sides.below, zero, _CMP_GE_OQ));
    }
    return (uint32_t)_mm256_movemask_pd(meets) << first;
}

/* The max and min instructions return their second operand where the first is NaN. */
AVX2 static inline uint32_t sweep4(const gjk_query_bounds *query, const gjk_tree_node *node,
                                   uint32_t first, double bound, double *keys) {
    __m256d loose = find_looseness(query, node, first);
    __m256d from = _mm256_setzero_pd(), until = _mm256_set1_pd(bound);
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const __m256d rate = _mm256_set1_pd(query->rate[axis]);
        gjk_sides sides = find_sides(query, node, first, axis, loose);
        __m256d in = query->rate[axis] > 0.0 ? sides.above : sides.below;
        __m256d out = query->rate[axis] > 0.0 ? sides.below : sides.above;
        from = _mm256_max_pd(_mm256_mul_pd(in, rate), from);
        until = _mm256_min_pd(_mm256_mul_pd(out, rate), until);
    }
    _mm256_storeu_pd(keys + first, from);
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(from, until, _CMP_LE_OQ)) << first;
}

AVX2 static inline uint32_t near4(const gjk_query_bounds *query, const gjk_tree_node *node,
                                  uint32_t first, double bound, double *keys) {
    __m256d loose = find_looseness(query, node, first), sum = _mm256_setzero_pd();
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        gjk_sides sides = find_sides(query, node, first, axis, loose);
        __m256d below = _mm256_sub_pd(_mm256_setzero_pd(), sides.below);
        __m256d gap = _mm256_max_pd(_mm256_max_pd(sides.above, below), _mm256_setzero_pd());
        sum = _mm256_add_pd(sum, _mm256_mul_pd(gap, gap));
    }
    _mm256_storeu_pd(keys + first, sum);
    __m256d near = _mm256_cmp_pd(sum, _mm256_set1_pd(bound), _CMP_LE_OQ);
    return (uint32_t)_mm256_movemask_pd(near) << first;
}

AVX2 uint32_t gjk_tree_node_keys_avx2(const gjk_tree_node *node, const gjk_query_bounds *query,
                                      double bound, double keys[GJK_TREE_WIDTH]) {
    uint32_t bits = 0;
    for (uint32_t first = 0; first < GJK_TREE_WIDTH; first += 4) {
        switch (query->kind) {
        case GJK_QUERY_OVERLAP:
            bits |= overlap4(query, node, first);
            _mm256_storeu_pd(keys + first, _mm256_setzero_pd());
            break;
        case GJK_QUERY_SWEEP:
            bits |= sweep4(query, node, first, bound, keys);
            break;
        case GJK_QUERY_NEAR:
            bits |= near4(query, node, first, bound, keys);
            break;
        }
    }
    return bits & ((1u << node->used) - 1);
}

#endif
