#ifndef GJK_SHAPE_CONVEX_SCAN_H
#define GJK_SHAPE_CONVEX_SCAN_H

#include "gjk/shape.h"

/* Columns of points, as a shape has them (gjk/shape.h), aligned to 64 bytes. */
typedef struct gjk_columns {
    const double *x;
    uint32_t count, stride;
} gjk_columns;

/*
 * The index of the point farthest along a direction; the lowest among equals. One scan for each
 * instruction set, the same bits from all: each product and sum is rounded on its own, in the
 * order (x + y) + z.
 */
uint32_t gjk_scan2_plain(const gjk_shape *cloud, double dx, double dy);
uint32_t gjk_scan3_plain(const gjk_columns *cloud, double dx, double dy, double dz);

/* The index of the least of count >= 1 numbers, none NaN; the lowest among equals. They are padded
 * with INFINITY to a multiple of GJK_LANES, at 64 bytes. */
uint32_t gjk_scan_least_plain(const double *values, uint32_t count);

/* The best of them for this processor. */
uint32_t gjk_scan_least(const double *values, uint32_t count);
uint32_t gjk_scan3(const gjk_columns *cloud, double dx, double dy, double dz);

/* Both scans of a pair in one call, which the processor works on together. */
void gjk_scan_both3(const gjk_columns cloud[2], const gjk_vec3 direction[2], uint32_t index[2]);
void gjk_scan_both3_plain(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                          uint32_t index[2]);

#if defined(__x86_64__) && !defined(GJK_SCAN_PLAIN)
#define GJK_SCAN_X86 1
uint32_t gjk_scan2_avx2(const gjk_shape *cloud, double dx, double dy);
uint32_t gjk_scan3_avx2(const gjk_columns *cloud, double dx, double dy, double dz);
uint32_t gjk_scan_least_avx2(const double *values, uint32_t count);
uint32_t gjk_scan_least_avx512(const double *values, uint32_t count);
uint32_t gjk_scan2_avx512(const gjk_shape *cloud, double dx, double dy);
uint32_t gjk_scan3_avx512(const gjk_columns *cloud, double dx, double dy, double dz);
void gjk_scan_both3_avx2(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                         uint32_t index[2]);
void gjk_scan_both3_avx512(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                           uint32_t index[2]);

/* Return true if the processor has the instruction set. Cost: a load and a test. */
static inline bool gjk_has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
static inline bool gjk_has_avx512(void) {
#ifdef GJK_SCAN_AVX2 /* tests the second variant on processors that have the first */
    return false;
#else
    return (__builtin_cpu_supports("avx512dq") != 0) & (__builtin_cpu_supports("avx512vl") != 0);
#endif
}
#endif

#endif
