#ifndef GJK_RAY_BALL_H
#define GJK_RAY_BALL_H

#include "gjk/ray.h"

/* The ray at a point or ball: a target whose shape has a cloud of one point. */
gjk_ray_result gjk_raycast_ball(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings);

#endif
