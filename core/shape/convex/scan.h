#ifndef GJK_SHAPE_CONVEX_SCAN_H
#define GJK_SHAPE_CONVEX_SCAN_H

#include "base/lanes.h"
#include "gjk/shape.h"

/* Columns of points, as a shape has them (gjk/shape.h), aligned to 64 bytes. */
typedef struct gjk_columns {
    const double *x;
    uint32_t count, stride;
} gjk_columns;

static inline gjk_vec3 gjk_column_point(const gjk_columns *cloud, uint32_t i) {
    const double *x = cloud->x + i, *y = x + cloud->stride;
    return (gjk_vec3){*x, *y, y[cloud->stride]};
}

static inline gjk_columns gjk_columns_of(const gjk_shape *shape) {
    return (gjk_columns){shape->columns, shape->count, shape->stride};
}

/*
 * The scans of one instruction set; all sets find the same. two, three: the index of the point
 * farthest along a direction; the lowest among equals. Each product and sum is rounded on its own,
 * in the order (x + y) + z. both: the scans of a pair in one call, which the processor works on
 * together. least: the index of the least of count >= 1 numbers, none NaN; the lowest among equals;
 * they are padded with INFINITY to a multiple of GJK_LANES, at 64 bytes.
 */
struct gjk_scans {
    uint32_t (*two)(const gjk_shape *cloud, double dx, double dy);
    uint32_t (*three)(const gjk_columns *cloud, double dx, double dy, double dz);
    void (*both)(const gjk_columns cloud[2], const gjk_vec3 direction[2], uint32_t index[2]);
    uint32_t (*least)(const double *values, uint32_t count);
};
extern const struct gjk_scans gjk_scans_plain, gjk_scans_avx2, gjk_scans_avx512;

static inline const struct gjk_scans *gjk_scans_fastest(void) {
    return GJK_FASTEST(&gjk_scans_plain, &gjk_scans_avx2, &gjk_scans_avx512);
}

/* The farthest point in 3D; few points are scanned one after the other. */
uint32_t gjk_scan3(const gjk_columns *cloud, double dx, double dy, double dz);

#endif
