#ifndef GJK_BASE_FOUR_LANES_H
#define GJK_BASE_FOUR_LANES_H

/*
 * Four doubles side by side, one triangle a lane. Each lane rounds separately, so all forms of a
 * kernel give the same bits.
 */

#include "base/lanes.h"
#include "gjk/vec.h"

#include <string.h>
#if defined(LANES_AVX2) || defined(LANES_AVX512)
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

LANES_INLINE lanes3 all3(gjk_vec3 v) {
    return (lanes3){all(v.x), all(v.y), all(v.z)};
}

LANES_INLINE lanes larger(const lanes *a, const lanes *b) {
    const lane_bits is_larger = *a > *b;
    return (lanes)((is_larger & (lane_bits)*a) | (~is_larger & (lane_bits)*b));
}

LANES_INLINE lanes smaller(const lanes *a, const lanes *b) {
    const lane_bits is_smaller = *a < *b;
    return (lanes)((is_smaller & (lane_bits)*a) | (~is_smaller & (lane_bits)*b));
}

LANES_INLINE lanes absolute(const lanes *a) {
    const lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (lanes)((lane_bits)*a & ~sign);
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

/* Loads the three numbers at p and the one after them. */
LANES_INLINE lanes load_row(const gjk_vec3 *p) {
    lanes row;
    memcpy(&row, p, sizeof row);
    return row;
}

/* Returns corner i of each triangle: four rows become three columns. */
LANES_INLINE lanes3 corner_of(const gjk_vec3 *const t[4][3], int i) {
    const lanes a = load_row(t[0][i]), b = load_row(t[1][i]);
    const lanes c = load_row(t[2][i]), d = load_row(t[3][i]);
    const lanes xz = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const lanes xz_after = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const lanes y = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const lanes y_after = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (lanes3){__builtin_shufflevector(xz, xz_after, 0, 1, 4, 5),
                    __builtin_shufflevector(y, y_after, 0, 1, 4, 5),
                    __builtin_shufflevector(xz, xz_after, 2, 3, 6, 7)};
}

#endif
