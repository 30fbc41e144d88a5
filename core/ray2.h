#ifndef GJK_RAY2_H
#define GJK_RAY2_H

#include "frame2.h"
#include "ray_solution.h"

/* Casts a ray from the frame's origin at a - b (2D). */
gjk_ray_solution gjk_ray2(const gjk_frame2 *frame, const gjk_ray_goal *goal);

#endif
