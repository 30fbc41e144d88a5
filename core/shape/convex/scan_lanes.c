/*
 * Scans a cloud eight points at a time; support.c has the portable form. Each lane keeps its own
 * largest value and the block that it came from; the lanes are compared at the end. Columns are
 * padded with copies of the first point, which never win against it, so there is no tail.
 */

#if defined(LANES_AVX2) || defined(LANES_AVX512)

#include "base/eight_lanes.h"
#include "shape/convex/scan.h"

/* The largest value of each lane, and the first block that has it. */
typedef struct lanes_best {
    lanes most, block;
} lanes_best;

/* The only dependency between steps is the maximum. */
LANES_INLINE void take_block(lanes_best *best, lanes along, uint32_t i) {
    best->block = lanes_where_less(best->most, along, lanes_all(i), best->block);
    best->most = lanes_larger(along, best->most);
}

/* Returns the lowest index of the largest value of both. */
LANES_INLINE uint32_t best_index(const lanes_best *a, const lanes_best *b) {
    const lanes most = lanes_largest(lanes_larger(a->most, b->most)), never = lanes_all(INFINITY);
    const lanes in_a = lanes_where_less(a->most, most, never, a->block);
    const lanes in_b = lanes_where_less(b->most, most, never, b->block);
    const lanes index = lanes_add(lanes_smaller(in_a, in_b), lanes_numbers());
    return (uint32_t)lanes_first(lanes_least(index));
}

LANES_INLINE uint32_t scan2(const gjk_shape *cloud, double dx, double dy) {
    const double *x = cloud->columns, *y = x + cloud->stride;
    const lanes u = lanes_all(dx), v = lanes_all(dy);
    lanes_best best = {lanes_all(-INFINITY), lanes_all(0.0)};
    for (uint32_t i = 0; i < cloud->stride; i += GJK_LANES) {
        take_block(&best,
                   lanes_add(lanes_mul(u, lanes_load(x + i)), lanes_mul(v, lanes_load(y + i))), i);
    }
    return best_index(&best, &best);
}

LANES_INLINE lanes along3(const gjk_columns *cloud, uint32_t i, const lanes d[3]) {
    const double *x = cloud->x + i, *y = x + cloud->stride, *z = y + cloud->stride;
    const lanes xy = lanes_add(lanes_mul(d[0], lanes_load(x)), lanes_mul(d[1], lanes_load(y)));
    return lanes_add(xy, lanes_mul(d[2], lanes_load(z)));
}

/* For up to 32 points, which stay in registers: first the largest value, then the lanes equal to
 * it. Also lanes with NaN count, so that there is one for any direction. */
LANES_INLINE uint32_t scan_few(const gjk_columns *cloud, const lanes d[3]) {
    const uint32_t stride = cloud->stride;
    const lanes a = along3(cloud, 0, d), b = stride > 8 ? along3(cloud, 8, d) : a;
    const lanes c = stride > 16 ? along3(cloud, 16, d) : a;
    const lanes e = stride > 24 ? along3(cloud, 24, d) : a;
    const lanes most = lanes_largest(lanes_larger(lanes_larger(a, b), lanes_larger(c, e)));
    return (uint32_t)__builtin_ctz(lanes_equal_or_nan(a, most) | lanes_equal_or_nan(b, most) << 8 |
                                   lanes_equal_or_nan(c, most) << 16 |
                                   lanes_equal_or_nan(e, most) << 24);
}

/* Two independent chains of blocks. */
LANES_INLINE uint32_t scan_all(const gjk_columns *cloud, const lanes d[3]) {
    lanes_best a = {along3(cloud, 0, d), lanes_all(0.0)};
    lanes_best b = {along3(cloud, GJK_LANES, d), lanes_all(GJK_LANES)};
    uint32_t i = 2 * GJK_LANES;
    for (; i + GJK_LANES < cloud->stride; i += 2 * GJK_LANES) {
        take_block(&a, along3(cloud, i, d), i);
        take_block(&b, along3(cloud, i + GJK_LANES, d), i + GJK_LANES);
    }
    if (i < cloud->stride) {
        take_block(&a, along3(cloud, i, d), i);
    }
    return best_index(&a, &b);
}

LANES_INLINE uint32_t scan3(const gjk_columns *cloud, double dx, double dy, double dz) {
    const lanes d[3] = {lanes_all(dx), lanes_all(dy), lanes_all(dz)};
    if (cloud->stride == GJK_LANES) {
        const lanes along = along3(cloud, 0, d);
        return (uint32_t)__builtin_ctz(lanes_equal_or_nan(along, lanes_largest(along)));
    }
    return cloud->stride <= 32 ? scan_few(cloud, d) : scan_all(cloud, d);
}

LANES_INLINE void scan_both3(const gjk_columns cloud[2], const gjk_vec3 direction[2],
                             uint32_t index[2]) {
    for (int i = 0; i < 2; i++) {
        index[i] = scan3(&cloud[i], direction[i].x, direction[i].y, direction[i].z);
    }
}

/* First the least value, then its index. Terminates also if numbers are NaN. */
LANES_INLINE uint32_t scan_least(const double *values, uint32_t count) {
    lanes least = lanes_load(values);
    for (uint32_t i = GJK_LANES; i < count; i += GJK_LANES) {
        least = lanes_smaller(least, lanes_load(values + i));
    }
    least = lanes_least(least);
    for (uint32_t i = 0; i < count; i += 4 * GJK_LANES) {
        uint32_t equal = 0;
        for (uint32_t k = 0; k < 4 * GJK_LANES && i + k < count; k += GJK_LANES) {
            equal |= lanes_equal(lanes_load(values + i + k), least) << k;
        }
        if (equal != 0) {
            return i + (uint32_t)__builtin_ctz(equal);
        }
    }
    return 0;
}

LANES_INLINE double scan_inner(const double *x, uint32_t stride, uint32_t count,
                               const gjk_vec3 *place, double *inner) {
    const lanes d[3] = {lanes_all(place->x), lanes_all(place->y), lanes_all(place->z)};
    const gjk_columns normals = {x, count, stride};
    const double *distance = x + 3 * (size_t)stride;
    lanes least = lanes_all(INFINITY);
    for (uint32_t i = 0; i < count; i += GJK_LANES) {
        const lanes off = lanes_sub(lanes_load(distance + i), along3(&normals, i, d));
        lanes_store(inner + i, off);
        least = lanes_smaller(off, least);
    }
    return lanes_first(lanes_least(least));
}

LANES_INLINE void scan_beyond(const double *x, uint32_t stride, uint32_t count,
                              const gjk_vec3 *nearest, double *square) {
    const lanes d[3] = {lanes_all(nearest->x), lanes_all(nearest->y), lanes_all(nearest->z)};
    const gjk_columns normals = {x, count, stride};
    const double *distance = x + 3 * (size_t)stride;
    const gjk_beyond of = gjk_beyond_of(nearest);
    const lanes own = lanes_all(of.own), scale = lanes_all(of.scale), thin = lanes_all(of.thin);
    for (uint32_t i = 0; i < count; i += GJK_LANES) {
        const lanes least = lanes_load(distance + i), along = along3(&normals, i, d);
        const lanes inner = lanes_larger(lanes_sub(least, along), lanes_all(0.0));
        const lanes across = lanes_larger(lanes_sub(own, lanes_mul(along, along)), thin);
        const lanes meet =
            lanes_add(own, lanes_mul(lanes_mul(inner, inner), lanes_divide(scale, across)));
        lanes_store(square + i,
                    lanes_where_less(own, lanes_mul(along, lanes_larger(least, lanes_all(0.0))),
                                     lanes_mul(least, least), meet));
    }
}

const struct gjk_scans LANES_FORM(gjk_scans) = {scan2,      scan3,      scan_both3,
                                                scan_least, scan_inner, scan_beyond};

#endif
