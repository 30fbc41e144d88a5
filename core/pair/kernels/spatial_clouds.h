#ifndef GJK_PAIR_KERNELS_SPATIAL_CLOUDS_H
#define GJK_PAIR_KERNELS_SPATIAL_CLOUDS_H

/* A pair of clouds in the frame of the first, and support points of their difference, over the
 * lanes of an instruction set: the common first part of the spatial kernels. */

#include "base/eight_lanes.h"
#include "base/numbers.h"
#include "gjk/pair.h"
#include "shape/convex/scan.h"

/* Attributes of a kernel that inlines all its calls: compilers leave calls in functions of this
 * size, and vectors would then pass through memory. */
#ifdef __OPTIMIZE_SIZE__
#define LANES_WHOLE LANES_TARGET
#else
#define LANES_WHOLE LANES_TARGET __attribute__((flatten))
#endif

typedef struct spatial_pair {
    const gjk_placed *first, *second;
    bool is_swapped;
} spatial_pair;

/* Placement of the second shape in the frame of the first, and the query's parameters. */
typedef struct view {
    gjk_mat3 rotation;
    gjk_vec3 translation;
    double scale, rounding; /* of lengths in the frame */
    double radius, size;
    double asked, tolerance; /* of the query, in lengths; tolerance: at least rounding */
    bool is_ordinary;        /* products of six lengths neither overflow nor underflow */
} view;

LANES_INLINE view view_of(const spatial_pair *pair, double tolerance) {
    const gjk_placed *a = pair->first, *b = pair->second;
    const gjk_mat3 *m = &a->pose.rotation, *n = &b->pose.rotation;
    view v;
    if (gjk_same_rotation(m, n)) {
        v.rotation = gjk_mat3_identity(); /* exact, so a shape coincides with itself */
    } else {
        v.rotation = gjk_relative_rotation(m, n);
    }
    v.translation = gjk_mul3_transposed(m, gjk_sub3(b->pose.position, a->pose.position));
    v.scale = gjk_largest3(v.translation) + (a->shape->reach + b->shape->reach);
    v.is_ordinary = v.scale <= 0x1p99 && v.scale >= 0x1p-99;
    v.rounding = GJK_ROUNDING * v.scale;
    v.radius = a->shape->radius + b->shape->radius;
    v.size = gjk_larger(a->shape->size, b->shape->size);
    v.asked = tolerance * v.size;
    v.tolerance = gjk_larger(v.asked, 4.0 * v.rounding);
    return v;
}

LANES_INLINE gjk_vec3 in_frame(const view *v, gjk_vec3 own) {
    return gjk_add3(gjk_mul3(&v->rotation, own), v->translation);
}

/* --- Support points --- */

/* Size class of the larger cloud: up to 8 points stay in registers, up to 32 points of the second
 * are rotated into the frame of the first once, more are scanned in place. */
typedef enum extent { FEW, SOME, MANY } extent;

enum { SOME_MAX = 4 * GJK_LANES, TURNED = 3 * SOME_MAX };

typedef struct few {
    lanes ax, ay, az, bx, by, bz; /* the second cloud in the frame of the first */
} few;

LANES_INLINE lanes dot(lanes ax, lanes ay, lanes az, lanes x, lanes y, lanes z) {
    return lanes_add(lanes_add(lanes_mul(ax, x), lanes_mul(ay, y)), lanes_mul(az, z));
}

LANES_INLINE lanes turned_row(gjk_vec3 row, double offset, lanes x, lanes y, lanes z) {
    return lanes_add(dot(lanes_all(row.x), lanes_all(row.y), lanes_all(row.z), x, y, z),
                     lanes_all(offset));
}

/* Rotates eight points of the second cloud into the frame of the first, to *f and to columns of
 * `stride`. */
LANES_INLINE void turn_eight(const view *v, const double *own, uint32_t stride, few *f,
                             double *turned) {
    const lanes x = lanes_load(own), y = lanes_load(own + stride);
    const lanes z = lanes_load(own + 2 * (size_t)stride);
    f->bx = turned_row(v->rotation.r0, v->translation.x, x, y, z);
    f->by = turned_row(v->rotation.r1, v->translation.y, x, y, z);
    f->bz = turned_row(v->rotation.r2, v->translation.z, x, y, z);
    lanes_store(turned, f->bx);
    lanes_store(turned + stride, f->by);
    lanes_store(turned + 2 * (size_t)stride, f->bz);
}

/* Both clouds; the second is in its own frame if MANY, else in the frame of the first. */
typedef struct clouds {
    const view *v;
    gjk_columns cloud[2];
} clouds;

LANES_INLINE gjk_vec3 point_of_a(const clouds *c, uint32_t i) {
    return gjk_column_point(&c->cloud[0], i);
}

LANES_INLINE gjk_vec3 point_of_b(const clouds *c, uint32_t i, extent size) {
    const gjk_vec3 p = gjk_column_point(&c->cloud[1], i);
    return size == MANY ? in_frame(c->v, p) : p;
}

/* Returns the dot products of eight points, starting at `from`, with a direction. */
LANES_INLINE lanes along_eight(const gjk_columns *c, uint32_t from, lanes x, lanes y, lanes z) {
    const double *p = c->x + from, *q = p + c->stride;
    return dot(x, y, z, lanes_load(p), lanes_load(q), lanes_load(q + c->stride));
}

/* Returns the index of the farthest of at most 32 points: finds the largest product, then its
 * position. If there are fewer points, the last eight are used repeatedly. */
LANES_INLINE uint32_t farthest_of_few(const gjk_columns *c, gjk_vec3 d) {
    const lanes x = lanes_all(d.x), y = lanes_all(d.y), z = lanes_all(d.z);
    const uint32_t last = c->stride - GJK_LANES;
    const uint32_t second = last < 8 ? last : 8, third = last < 16 ? last : 16;
    const lanes p = along_eight(c, 0, x, y, z), q = along_eight(c, second, x, y, z);
    const lanes r = along_eight(c, third, x, y, z), s = along_eight(c, last, x, y, z);
    const lanes most = lanes_largest(lanes_larger(lanes_larger(p, q), lanes_larger(r, s)));
    return (uint32_t)__builtin_ctz(lanes_equal(p, most) | lanes_equal(q, most) << 8 |
                                   lanes_equal(r, most) << 16 | lanes_equal(s, most) << 24);
}

/* Finds the indices of the points of a and b whose difference is farthest along d. */
LANES_INLINE void support(const clouds *c, const few *f, gjk_vec3 d, extent size,
                          uint32_t index[2]) {
    if (size == FEW) {
        const lanes x = lanes_all(d.x), y = lanes_all(d.y), z = lanes_all(d.z);
        const lanes along_a = dot(x, y, z, f->ax, f->ay, f->az);
        const lanes along_b = dot(x, y, z, f->bx, f->by, f->bz);
        index[0] = (uint32_t)__builtin_ctz(lanes_equal(along_a, lanes_largest(along_a)));
        index[1] = (uint32_t)__builtin_ctz(lanes_equal(along_b, lanes_least(along_b)));
    } else if (size == SOME) {
        index[0] = farthest_of_few(&c->cloud[0], d);
        index[1] = farthest_of_few(&c->cloud[1], gjk_neg3(d));
    } else {
        const gjk_vec3 along[2] = {d, gjk_neg3(gjk_mul3_transposed(&c->v->rotation, d))};
        LANES_FORM(gjk_scans).both(c->cloud, along, index);
    }
}

#endif
