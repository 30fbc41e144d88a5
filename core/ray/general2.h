#ifndef GJK_RAY_GENERAL2_H
#define GJK_RAY_GENERAL2_H

#include "pair/frame2.h"
#include "ray/solution.h"

/* Casts a ray from the frame's origin at a - b (2D). */
gjk_ray_solution gjk_ray2(const gjk_frame2 *frame, const gjk_ray_goal *goal);

#endif
