/*
 * Four triangles against one ray, a triangle a lane. Each edge test is the edge's length times how
 * far the line passes beside it, signed; the line meets the triangle where all three have one sign.
 */

#include "base/four_lanes.h"
#include "ray/triangle_misses.h"

LANES_INLINE uint32_t find_misses(const gjk_miss_ray *ray,
                                  const gjk_vec3 *const corners[GJK_MISS_LANES][3], double bound) {
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
    return bits_of(&misses);
}

gjk_triangle_misses *const LANES_FORM(gjk_triangle_misses) = find_misses;
