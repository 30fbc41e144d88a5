/* Triangles against one ray: the test for every processor, and the choice by the instruction set. */

#include "ray/triangle_misses.h"

#include "shape/convex/scan.h"

#define LANES_TARGET
#include "ray/triangle_misses_lanes.h"

uint32_t gjk_triangle_misses_plain(const gjk_miss_ray *ray,
                                   const gjk_vec3 corners[GJK_MISS_LANES][3], double bound) {
    return find_misses(ray, corners, bound);
}

uint32_t gjk_triangle_misses(const gjk_miss_ray *ray, const gjk_vec3 corners[GJK_MISS_LANES][3],
                             double bound) {
#ifdef GJK_SCAN_X86
    if (gjk_has_avx2()) {
        return gjk_triangle_misses_avx2(ray, corners, bound);
    }
#endif
    return gjk_triangle_misses_plain(ray, corners, bound);
}
