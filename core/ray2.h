#ifndef GJK_RAY2_H
#define GJK_RAY2_H

#include "frame2.h"
#include "ray_solution.h"

/* Casts a ray from the frame's origin at a - b (2D). first_direction as in gjk_gjk2. */
gjk_ray_solution gjk_ray2(const gjk_frame2 *frame, gjk_vec2 first_direction,
                          const gjk_ray_goal *goal);

#endif
