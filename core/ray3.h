#ifndef GJK_RAY3_H
#define GJK_RAY3_H

#include "frame3.h"
#include "ray_solution.h"

/* Casts a ray from the frame's origin at a - b (3D). first_direction as in gjk_gjk3. */
gjk_ray_solution gjk_ray3(const gjk_frame3 *frame, gjk_vec3 first_direction,
                          const gjk_ray_goal *goal);

#endif
