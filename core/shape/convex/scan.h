#ifndef GJK_SHAPE_CONVEX_SCAN_H
#define GJK_SHAPE_CONVEX_SCAN_H

#include "base/lanes.h"
#include "gjk/shape.h"

/* Columns of points, as in a shape (gjk/shape.h), aligned to 64 bytes. */
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
 * Scans for one instruction set; all sets give the same results. Each product and sum is rounded
 * separately, in the order (x + y) + z. Counts and strides are multiples of GJK_LANES; columns are
 * aligned to 64 bytes.
 *
 * two, three: return the index of the support point along a direction; the lowest of equal ones.
 * both: the scans of a pair in one call, which the processor overlaps. least: returns the index of
 * the least of count >= 1 numbers, none NaN, padded with INFINITY to a multiple of GJK_LANES; the
 * lowest of equal ones. inner: computes how far a place is inside each of count > 0 planes
 * (negative: beyond it), and returns the least; x is the column of the normals' x, followed at
 * distances of `stride` by y, z and the offsets. beyond: computes a lower bound of the squared
 * distance from 0 to what is beyond both a plane and the plane perpendicular to `nearest` at that
 * point; the bound is looser for planes that meet at an angle whose squared sine is below 2^-14.
 */
struct gjk_scans {
    uint32_t (*two)(const gjk_shape *cloud, double dx, double dy);
    uint32_t (*three)(const gjk_columns *cloud, double dx, double dy, double dz);
    void (*both)(const gjk_columns cloud[2], const gjk_vec3 direction[2], uint32_t index[2]);
    uint32_t (*least)(const double *values, uint32_t count);
    double (*inner)(const double *x, uint32_t stride, uint32_t count, const gjk_vec3 *place,
                    double *inner);
    void (*beyond)(const double *x, uint32_t stride, uint32_t count, const gjk_vec3 *nearest,
                   double *square);
};

/* Constants of `beyond` for a place. A plane that meets the one through the place does so at the
 * squared distance `own + inner^2 * scale / across`, and no nearer than `own + inner^2`, which is
 * used if parts of `own` would round to 0. All are finite, and `across` is above 0, so that no
 * bound is NaN. */
typedef struct gjk_beyond {
    double own, scale, thin;
} gjk_beyond;

#define GJK_BEYOND_LEAST 0x1p-1000
#define GJK_BEYOND_MOST 0x1p1010 /* above (16 GJK_COORDINATE_MAX)^2: no path out is as long */

static inline gjk_beyond gjk_beyond_of(const gjk_vec3 *nearest) {
    const double square = gjk_dot3(*nearest, *nearest);
    const double own = square < GJK_BEYOND_MOST ? square : GJK_BEYOND_MOST;
    const bool has_parts = own >= GJK_BEYOND_LEAST;
    return (gjk_beyond){own, has_parts ? own : 1.0, has_parts ? own * 0x1p-14 : 1.0};
}

extern const struct gjk_scans gjk_scans_plain, gjk_scans_avx2, gjk_scans_avx512;

static inline const struct gjk_scans *gjk_scans_fastest(void) {
    return GJK_FASTEST(&gjk_scans_plain, &gjk_scans_avx2, &gjk_scans_avx512);
}

/* Returns the index of the support point in 3D. Few points are scanned one by one. */
uint32_t gjk_scan3(const gjk_columns *cloud, double dx, double dy, double dz);

#endif
