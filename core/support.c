/*
 * Which point of a shape's core lies farthest along a direction? A cloud is scanned
 * whole: contiguous columns under wide instructions beat hill climbing at the sizes
 * that shapes have. The instruction set is chosen at each call (a load and a test),
 * so that the core needs no global and no start-up.
 */

#include "support.h"

#include "curve.h"
#include "scan.h"
#include "scan_edges.h"

/* Up to here the comparison across lanes costs more than it saves. */
#define SCALAR_MAX 12

#ifdef GJK_SCAN_X86
/* GJK_SCAN_AVX2 leaves out the widest variant, to test the second on the machines of today. */
static inline bool has_avx512(void) {
#ifdef GJK_SCAN_AVX2
    return false;
#else
    return __builtin_cpu_supports("avx512dq") != 0;
#endif
}
#endif

static uint32_t scan2(const gjk_shape *cloud, gjk_vec2 direction) {
#ifdef GJK_SCAN_X86
    if (has_avx512()) {
        return gjk_scan2_avx512(cloud, direction.x, direction.y);
    }
    if (__builtin_cpu_supports("avx2")) {
        return gjk_scan2_avx2(cloud, direction.x, direction.y);
    }
#endif
    return gjk_scan2_plain(cloud, direction.x, direction.y);
}

static uint32_t scan3(const gjk_shape *cloud, gjk_vec3 direction) {
#ifdef GJK_SCAN_X86
    if (has_avx512()) {
        return gjk_scan3_avx512(cloud, direction.x, direction.y, direction.z);
    }
    if (__builtin_cpu_supports("avx2")) {
        return gjk_scan3_avx2(cloud, direction.x, direction.y, direction.z);
    }
#endif
    return gjk_scan3_plain(cloud, direction.x, direction.y, direction.z);
}

gjk_gap2 gjk_scan_edges(const gjk_frame2 *frame, gjk_turned2 *b) {
#ifdef GJK_SCAN_X86
    if (has_avx512()) {
        return gjk_scan_edges_avx512(frame, b);
    }
    if (__builtin_cpu_supports("avx2")) {
        return gjk_scan_edges_avx2(frame, b);
    }
#endif
    return gjk_scan_edges_plain(frame, b);
}

gjk_vec2 gjk_support_of2(const gjk_shape *shape, gjk_vec2 direction) {
    if (shape->count == 0) {
        return gjk_xy(gjk_curve_support(shape, gjk_xy0(direction)));
    }
    const double *x = shape->columns, *y = x + shape->stride;
    uint32_t i = shape->count <= SCALAR_MAX ? gjk_scan2_plain(shape, direction.x, direction.y)
                                            : scan2(shape, direction);
    return (gjk_vec2){x[i], y[i]};
}

gjk_vec3 gjk_support_of3(const gjk_shape *shape, gjk_vec3 direction) {
    if (shape->count == 0) {
        return gjk_curve_support(shape, direction);
    }
    const double *x = shape->columns, *y = x + shape->stride, *z = y + shape->stride;
    uint32_t i = shape->count <= SCALAR_MAX
                     ? gjk_scan3_plain(shape, direction.x, direction.y, direction.z)
                     : scan3(shape, direction);
    return (gjk_vec3){x[i], y[i], z[i]};
}
