#ifndef GJK_RAY_GENERAL_H
#define GJK_RAY_GENERAL_H

/* Rays by the pair kernels, for every shape; the closed forms are tested against them. */

#include "gjk/ray.h"

/* The same promises as gjk_raycast, without a closed form anywhere. */
gjk_ray_result gjk_raycast_general(const gjk_placed *target, const gjk_ray *ray,
                                   const gjk_ray_settings *settings);

/* Returns true if gjk_detect finds the ray's origin inside or touching; then *out is the answer. */
bool gjk_ray_starts_inside(const gjk_placed *target, const gjk_ray *ray,
                           const gjk_ray_settings *settings, gjk_ray_result *out);

/* The hit of a ray whose origin is not inside, by the GJK ray cast. */
gjk_ray_result gjk_ray_from_outside(const gjk_placed *target, const gjk_ray *ray,
                                    const gjk_ray_settings *settings);

/* A hit at that distance (cut to max_distance); normal: in the world's axes. Where rounding
 * turned the normal of a grazed surface along the ray, it is reflected to point against it. */
static inline gjk_ray_result gjk_ray_hit_at(const gjk_ray *ray, double distance, gjk_vec3 normal) {
    double cut = distance < ray->max_distance ? distance : ray->max_distance;
    double along = gjk_dot3(normal, ray->direction);
    if (along > 0.0) {
        normal = gjk_sub3(normal, gjk_scale3(2.0 * along + 0x1p-52, ray->direction));
    }
    return (gjk_ray_result){
        .hit = true,
        .has_normal = true,
        .iterations = 1,
        .distance = cut,
        .point = gjk_add3(ray->origin, gjk_scale3(cut, ray->direction)),
        .normal = gjk_no_minus_zero3(normal),
    };
}

/* The answers of a closed form for a miss and for an origin inside. */
static inline gjk_ray_result gjk_ray_miss(void) {
    return (gjk_ray_result){.iterations = 1};
}

static inline gjk_ray_result gjk_ray_inside(const gjk_ray *ray, const gjk_ray_settings *settings) {
    return (gjk_ray_result){.hit = settings->solid,
                            .inside = true,
                            .iterations = 1,
                            .point = ray->origin};
}

#endif
