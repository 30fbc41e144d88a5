/* Four triangles against one ray with the instructions that any machine has. */

#define LANES_TARGET
#include "ray/triangle_misses_lanes.h"

uint32_t gjk_triangle_misses_plain(const gjk_miss_ray *ray,
                                   const gjk_vec3 corners[GJK_MISS_LANES][3], double bound) {
    return find_misses(ray, corners, bound);
}
