#ifndef GJK_BASE_EIGHT_FLOATS_H
#define GJK_BASE_EIGHT_FLOATS_H

/* Eight floats side by side, in one register or two. Each lane rounds separately, so all forms of a
 * kernel give the same bits. */

#include "base/lanes.h"

#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined(LANES_AVX2) || defined(LANES_AVX512)
#define FLOATS_PART 8
#else
#define FLOATS_PART 4
#endif
#define FLOATS_PARTS (8 / FLOATS_PART)

typedef float floats_part __attribute__((vector_size(4 * FLOATS_PART)));
typedef float floats_anywhere __attribute__((vector_size(4 * FLOATS_PART), aligned(4), may_alias));
typedef int32_t floats_bits __attribute__((vector_size(4 * FLOATS_PART)));

typedef struct floats {
    floats_part part[FLOATS_PARTS];
} floats;

LANES_INLINE floats floats_all(float x) {
    floats all;
    for (int i = 0; i < FLOATS_PARTS; i++) {
        all.part[i] = x - (floats_part){0};
    }
    return all;
}

/* Load from and store to an address of any alignment. */
LANES_INLINE floats floats_load(const void *p) {
    floats loaded;
    for (int i = 0; i < FLOATS_PARTS; i++) {
        loaded.part[i] = ((const floats_anywhere *)p)[i];
    }
    return loaded;
}
LANES_INLINE void floats_store(void *p, const floats *a) {
    for (int i = 0; i < FLOATS_PARTS; i++) {
        ((floats_anywhere *)p)[i] = a->part[i];
    }
}

/* Returns (a - b) * c. */
LANES_INLINE floats floats_difference_times(const floats *a, const floats *b, const floats *c) {
    floats product;
    for (int i = 0; i < FLOATS_PARTS; i++) {
        product.part[i] = (a->part[i] - b->part[i]) * c->part[i];
    }
    return product;
}

LANES_INLINE floats floats_difference(const floats *a, const floats *b) {
    floats difference;
    for (int i = 0; i < FLOATS_PARTS; i++) {
        difference.part[i] = a->part[i] - b->part[i];
    }
    return difference;
}

/* Returns a + b * b. */
LANES_INLINE floats floats_plus_square(const floats *a, const floats *b) {
    floats sum;
    for (int i = 0; i < FLOATS_PARTS; i++) {
        sum.part[i] = a->part[i] + b->part[i] * b->part[i];
    }
    return sum;
}

/* Return the larger and the smaller of two; of zeros and of NaN and a number the second. */
LANES_INLINE floats floats_larger(const floats *a, const floats *b) {
#if defined(LANES_AVX2) || defined(LANES_AVX512)
    return (floats){{_mm256_max_ps(a->part[0], b->part[0])}};
#elif defined(__SSE2__)
    return (floats){{_mm_max_ps(a->part[0], b->part[0]), _mm_max_ps(a->part[1], b->part[1])}};
#else
    const floats_bits low = a->part[0] > b->part[0], high = a->part[1] > b->part[1];
    return (floats){
        {(floats_part)((low & (floats_bits)a->part[0]) | (~low & (floats_bits)b->part[0])),
         (floats_part)((high & (floats_bits)a->part[1]) | (~high & (floats_bits)b->part[1]))}};
#endif
}
LANES_INLINE floats floats_smaller(const floats *a, const floats *b) {
#if defined(LANES_AVX2) || defined(LANES_AVX512)
    return (floats){{_mm256_min_ps(a->part[0], b->part[0])}};
#elif defined(__SSE2__)
    return (floats){{_mm_min_ps(a->part[0], b->part[0]), _mm_min_ps(a->part[1], b->part[1])}};
#else
    const floats_bits low = a->part[0] < b->part[0], high = a->part[1] < b->part[1];
    return (floats){
        {(floats_part)((low & (floats_bits)a->part[0]) | (~low & (floats_bits)b->part[0])),
         (floats_part)((high & (floats_bits)a->part[1]) | (~high & (floats_bits)b->part[1]))}};
#endif
}

/* Returns a bit for each lane in which a is at most b, bit 0 for the first. */
LANES_INLINE uint32_t floats_not_above(const floats *a, const floats *b) {
#if defined(LANES_AVX512)
    return _mm256_cmp_ps_mask(a->part[0], b->part[0], _CMP_LE_OQ);
#elif defined(LANES_AVX2)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a->part[0], b->part[0], _CMP_LE_OQ));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(a->part[0], b->part[0])) |
           (uint32_t)_mm_movemask_ps(_mm_cmple_ps(a->part[1], b->part[1])) << 4;
#else
    const floats_bits set = ((a->part[0] <= b->part[0]) & (floats_bits){1, 2, 4, 8}) |
                            ((a->part[1] <= b->part[1]) & (floats_bits){16, 32, 64, 128});
    return (uint32_t)(set[0] | set[1] | set[2] | set[3]);
#endif
}

/* Returns the least of all lanes. NaN does not occur. */
LANES_INLINE float floats_least(const floats *a) {
#ifdef __SSE2__
#if FLOATS_PARTS == 1
    const __m128 low = _mm256_castps256_ps128(a->part[0]);
    const __m128 four = _mm_min_ps(low, _mm256_extractf128_ps(a->part[0], 1));
#else
    const __m128 four = _mm_min_ps(a->part[0], a->part[1]);
#endif
    const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
    float least = a->part[0][0];
    for (int i = 1; i < 8; i++) {
        const float other = a->part[i / FLOATS_PART][i % FLOATS_PART];
        least = other < least ? other : least;
    }
    return least;
#endif
}

#endif
