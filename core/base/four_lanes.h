#ifndef GJK_BASE_FOUR_LANES_H
#define GJK_BASE_FOUR_LANES_H

/*
 * Four doubles side by side, one triangle a lane. Each lane rounds separately, so all forms of a
 * kernel give the same bits.
 */

#include "base/lanes.h"
#include "gjk/vec.h"

#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Lanes are never passed to a call, since everything here is inlined. If the target has no register
 * of this width, gcc nevertheless warns that the ABI for passing one has changed. Functions
 * therefore take lanes by address. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_bits __attribute__((vector_size(32)));

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

LANES_INLINE lanes all(double x) {
    return (lanes){x, x, x, x};
}

/* Returns the first three lanes. */
LANES_INLINE gjk_vec3 vector_of(const lanes *row) {
    return (gjk_vec3){(*row)[0], (*row)[1], (*row)[2]};
}

LANES_INLINE lanes3 all3(gjk_vec3 v) {
    return (lanes3){all(v.x), all(v.y), all(v.z)};
}

#ifdef __SSE2__
/* Return the two lower and the two upper lanes. gcc would compare four doubles one by one where
 * they need two registers. */
LANES_INLINE __m128d low_two(const lanes *a) {
    return __builtin_shufflevector(*a, *a, 0, 1);
}
LANES_INLINE __m128d high_two(const lanes *a) {
    return __builtin_shufflevector(*a, *a, 2, 3);
}
#endif

/* Return the larger and the smaller of two, the second if they are equal. */
LANES_INLINE lanes larger(const lanes *a, const lanes *b) {
#if defined(LANES_AVX2) || defined(LANES_AVX512)
    return _mm256_max_pd(*a, *b);
#elif defined(__SSE2__)
    return __builtin_shufflevector(_mm_max_pd(low_two(a), low_two(b)),
                                   _mm_max_pd(high_two(a), high_two(b)), 0, 1, 2, 3);
#else
    const lane_bits is_larger = *a > *b;
    return (lanes)((is_larger & (lane_bits)*a) | (~is_larger & (lane_bits)*b));
#endif
}

LANES_INLINE lanes smaller(const lanes *a, const lanes *b) {
#if defined(LANES_AVX2) || defined(LANES_AVX512)
    return _mm256_min_pd(*a, *b);
#elif defined(__SSE2__)
    return __builtin_shufflevector(_mm_min_pd(low_two(a), low_two(b)),
                                   _mm_min_pd(high_two(a), high_two(b)), 0, 1, 2, 3);
#else
    const lane_bits is_smaller = *a < *b;
    return (lanes)((is_smaller & (lane_bits)*a) | (~is_smaller & (lane_bits)*b));
#endif
}

LANES_INLINE lanes absolute(const lanes *a) {
    const lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (lanes)((lane_bits)*a & ~sign);
}

LANES_INLINE lanes root(const lanes *a) {
#if defined(LANES_AVX2) || defined(LANES_AVX512)
    return _mm256_sqrt_pd(*a);
#elif defined(__SSE2__)
    return __builtin_shufflevector(_mm_sqrt_pd(low_two(a)), _mm_sqrt_pd(high_two(a)), 0, 1, 2, 3);
#else
    return (lanes){sqrt((*a)[0]), sqrt((*a)[1]), sqrt((*a)[2]), sqrt((*a)[3])};
#endif
}

LANES_INLINE lanes3 difference(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->x - b->x, a->y - b->y, a->z - b->z};
}

/* Returns the sum of magnitudes: at least the length of v and at most 1.8 times it. */
LANES_INLINE lanes long_length(const lanes3 *v) {
    return absolute(&v->x) + absolute(&v->y) + absolute(&v->z);
}

/* Returns a bit for each set lane, bit 0 for the first. */
LANES_INLINE uint32_t bits_of(const lane_bits *which) {
#if defined(LANES_AVX2) || defined(LANES_AVX512)
    return (uint32_t)_mm256_movemask_pd((__m256d)*which);
#else
    const lane_bits set = *which & (lane_bits){1, 2, 4, 8};
    return (uint32_t)(set[0] | set[1] | set[2] | set[3]);
#endif
}

/* Returns a bit for each lane in which a is above b. */
LANES_INLINE uint32_t find_above(const lanes *a, const lanes *b) {
#if defined(LANES_AVX512)
    return _mm256_cmp_pd_mask(*a, *b, _CMP_GT_OQ);
#elif defined(LANES_AVX2)
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(*a, *b, _CMP_GT_OQ));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd(_mm_cmpgt_pd(low_two(a), low_two(b))) |
           (uint32_t)_mm_movemask_pd(_mm_cmpgt_pd(high_two(a), high_two(b))) << 2;
#else
    const lane_bits which = *a > *b;
    return bits_of(&which);
#endif
}

/* Returns `yes` in the lanes that are set, `no` in the others. */
LANES_INLINE lanes pick(const lane_bits *which, const lanes *yes, const lanes *no) {
    return (lanes)((*which & (lane_bits)*yes) | (~*which & (lane_bits)*no));
}

LANES_INLINE lanes3 pick3(const lane_bits *which, const lanes3 *yes, const lanes3 *no) {
    return (lanes3){pick(which, &yes->x, &no->x), pick(which, &yes->y, &no->y),
                    pick(which, &yes->z, &no->z)};
}

LANES_INLINE lanes dot(const lanes3 *a, const lanes3 *b) {
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

LANES_INLINE lanes3 scaled(const lanes *s, const lanes3 *v) {
    return (lanes3){*s * v->x, *s * v->y, *s * v->z};
}

LANES_INLINE lanes3 sum(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->x + b->x, a->y + b->y, a->z + b->z};
}

LANES_INLINE lanes along(const lanes3 *v, gjk_vec3 direction) {
    return v->x * direction.x + v->y * direction.y + v->z * direction.z;
}

LANES_INLINE lanes3 cross(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z,
                    a->x * b->y - a->y * b->x};
}

/* Loads the three numbers at p and the one after them. A copy by memcpy would be made word by
 * word. */
typedef double lanes_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
LANES_INLINE lanes load_row(const gjk_vec3 *p) {
    return *(const lanes_anywhere *)(const void *)p;
}

/* Returns v, in the first three lanes, rotated by the inverse of m, as gjk_mul3_transposed. */
LANES_INLINE lanes turned_back(const gjk_mat3 *m, const lanes *v) {
    return load_row(&m->r0) * (*v)[0] + load_row(&m->r1) * (*v)[1] + load_row(&m->r2) * (*v)[2];
}

/* Returns four vectors: four rows become three columns. */
LANES_INLINE lanes3 columns_of_rows(const lanes *a, const lanes *b, const lanes *c,
                                    const lanes *d) {
    const lanes xz = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
    const lanes xz_after = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
    const lanes y = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    const lanes y_after = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    return (lanes3){__builtin_shufflevector(xz, xz_after, 0, 1, 4, 5),
                    __builtin_shufflevector(y, y_after, 0, 1, 4, 5),
                    __builtin_shufflevector(xz, xz_after, 2, 3, 6, 7)};
}

LANES_INLINE lanes3 columns_of(const gjk_vec3 *p, const gjk_vec3 *q, const gjk_vec3 *r,
                               const gjk_vec3 *s) {
    const lanes a = load_row(p), b = load_row(q), c = load_row(r), d = load_row(s);
    return columns_of_rows(&a, &b, &c, &d);
}

/* Returns corner i of each triangle. */
LANES_INLINE lanes3 corner_of(const gjk_vec3 *const t[4][3], int i) {
    return columns_of(t[0][i], t[1][i], t[2][i], t[3][i]);
}

#endif
