/* Four triangles against one ray, all four in one register. */

#include "shape/convex/scan.h"

#ifdef GJK_SCAN_X86

#define LANES_TARGET __attribute__((target("avx2")))
#include "ray/triangle_misses.h"

#include "ray/triangle_misses_lanes.h"

LANES_TARGET uint32_t gjk_triangle_misses_avx2(const gjk_miss_ray *ray,
                                               const gjk_vec3 corners[GJK_MISS_LANES][3],
                                               double bound) {
    return find_misses(ray, corners, bound);
}

#endif
