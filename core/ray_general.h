#ifndef GJK_RAY_GENERAL_H
#define GJK_RAY_GENERAL_H

/* Rays by the pair kernels: for every shape, and what the closed forms are tested against. */

#include "gjk/ray.h"

/* The same promises as gjk_raycast, without a closed form anywhere. */
gjk_ray_result gjk_raycast_general(const gjk_placed *target, const gjk_ray *ray,
                                   const gjk_ray_settings *settings);

/* Is the ray's origin inside, by the boolean that gjk_detect answers? Then *out is the answer. */
bool gjk_ray_starts_inside(const gjk_placed *target, const gjk_ray *ray,
                           const gjk_ray_settings *settings, gjk_ray_result *out);

/* What the ray hits when its origin is not inside: the GJK ray cast. */
gjk_ray_result gjk_ray_from_outside(const gjk_placed *target, const gjk_ray *ray,
                                    const gjk_ray_settings *settings);

/* A hit at that distance (cut to max_distance), normal in the world's axes. */
gjk_ray_result gjk_ray_hit_at(const gjk_ray *ray, double distance, gjk_vec3 normal);

#endif
