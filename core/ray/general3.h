#ifndef GJK_RAY_GENERAL3_H
#define GJK_RAY_GENERAL3_H

#include "pair/frame3.h"
#include "ray/solution.h"

/* Casts a ray from the frame's origin at a - b (3D). */
gjk_ray_solution gjk_ray3(const gjk_frame3 *frame, const gjk_ray_goal *goal);

#endif
