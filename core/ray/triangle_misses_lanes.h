/*
 * Four triangles against one ray, a triangle a lane; for the two files that define LANES_TARGET,
 * the instructions that may be used. Each edge test is the edge's length times how far the line
 * passes beside it, signed; the line meets the triangle where all three have one sign.
 */

#include "ray/triangle_misses.h"

/* Lanes never pass a call: everything here is inlined. Where a processor may have no register that
 * is so wide, gcc still says that the way to pass one has changed; so functions take them by
 * address. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define LANES_INLINE LANES_TARGET static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_bits __attribute__((vector_size(32)));

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

LANES_INLINE lanes all(double x) {
    return (lanes){x, x, x, x};
}

LANES_INLINE lanes larger(const lanes *a, const lanes *b) {
    const lane_bits is_larger = *a > *b;
    return (lanes)((is_larger & (lane_bits)*a) | (~is_larger & (lane_bits)*b));
}

LANES_INLINE lanes absolute(const lanes *a) {
    const lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (lanes)((lane_bits)*a & ~sign);
}

LANES_INLINE lanes3 difference(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->x - b->x, a->y - b->y, a->z - b->z};
}

/* Returns at least the length of v, and at most 1.8 times it. */
LANES_INLINE lanes long_length(const lanes3 *v) {
    return absolute(&v->x) + absolute(&v->y) + absolute(&v->z);
}

LANES_INLINE lanes along(const lanes3 *v, gjk_vec3 direction) {
    return v->x * direction.x + v->y * direction.y + v->z * direction.z;
}

LANES_INLINE lanes3 cross(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z,
                    a->x * b->y - a->y * b->x};
}

/* Corner i of each triangle. */
LANES_INLINE lanes3 corner_of(const gjk_vec3 t[GJK_MISS_LANES][3], int i) {
    return (lanes3){{t[0][i].x, t[1][i].x, t[2][i].x, t[3][i].x},
                    {t[0][i].y, t[1][i].y, t[2][i].y, t[3][i].y},
                    {t[0][i].z, t[1][i].z, t[2][i].z, t[3][i].z}};
}

LANES_INLINE uint32_t find_misses(const gjk_miss_ray *ray,
                                  const gjk_vec3 corners[GJK_MISS_LANES][3], double bound) {
    const lanes3 corner[3] = {corner_of(corners, 0), corner_of(corners, 1), corner_of(corners, 2)};
    const lanes3 edge[3] = {difference(&corner[1], &corner[0]), difference(&corner[2], &corner[1]),
                            difference(&corner[0], &corner[2])};
    const lanes3 origin = {all(ray->origin.x), all(ray->origin.y), all(ray->origin.z)};
    const lanes length[3] = {long_length(&edge[0]), long_length(&edge[1]), long_length(&edge[2])};
    const lanes longer = larger(&length[1], &length[2]), longest = larger(&length[0], &longer);
    const lanes tolerance = ray->tolerance * longest, rounding = all(ray->rounding);
    /* A hit may lie this far beside, before or behind the triangle. */
    const lanes near = 8.0 * larger(&tolerance, &rounding);
    lane_bits positive = {0}, negative = {0}, behind = {-1, -1, -1, -1};
    for (int i = 0; i < 3; i++) {
        const lanes3 from = difference(&corner[i], &origin), volume = cross(&from, &edge[i]);
        const lanes beside = along(&volume, ray->direction);
        const lanes margin = length[i] * (near + 0x1p-48 * long_length(&from));
        positive |= beside > margin;
        negative |= beside < -margin;
        behind &= along(&from, ray->direction) - near > all(bound);
    }
    const lane_bits misses = (positive & negative) | behind;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < GJK_MISS_LANES; k++) {
        bits |= (uint32_t)(misses[k] & 1) << k;
    }
    return bits;
}
