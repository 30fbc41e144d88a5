#ifndef GJK_RAY3_H
#define GJK_RAY3_H

#include "frame3.h"
#include "ray_solution.h"

/* Casts a ray from the frame's origin at a - b (3D). */
gjk_ray_solution gjk_ray3(const gjk_frame3 *frame, const gjk_ray_goal *goal);

#endif
