#ifndef GJK_RAY_FLAT_FLAT_H
#define GJK_RAY_FLAT_FLAT_H

/*
 * Fast paths for rays at small polygons, circles and capsules, without the set-up for arbitrary
 * shapes. ray.c decides if the ray's origin may be inside, if the ray grazes the shape, and for
 * other rounded polygons.
 */

#include "base/lanes.h"
#include "base/two.h"
#include "gjk/ray.h"

#include <string.h>

/* Sets *result like gjk_raycast. Returns false if the general method (gjk_raycast_any) made the
 * result. The target is a GJK_FLAT_POLYGON without radius. One function for each instruction set,
 * with the same bits. */
typedef bool gjk_flat_ray_kernel(const gjk_placed *target, const gjk_ray *ray,
                                 const gjk_ray_settings *settings, gjk_ray_result *result);
extern gjk_flat_ray_kernel *const gjk_flat_ray_plain, *const gjk_flat_ray_avx2,
                                                          *const gjk_flat_ray_avx512;

/* Do the same for a GJK_FLAT_POINT, and for a GJK_FLAT_POLYGON of two points with a radius. */
bool gjk_flat_ray_circle(const gjk_placed *target, const gjk_ray *ray,
                         const gjk_ray_settings *settings, gjk_ray_result *result);
bool gjk_flat_ray_capsule(const gjk_placed *target, const gjk_ray *ray,
                          const gjk_ray_settings *settings, gjk_ray_result *result);

/* Does the same for any target, and returns false. Not inlined, so that the fast paths need no
 * stack frame. */
__attribute__((noinline)) bool gjk_raycast_any(const gjk_placed *target, const gjk_ray *ray,
                                               const gjk_ray_settings *settings,
                                               gjk_ray_result *result);

/* Does the same by the fastest function for this target on this processor. */
static inline bool gjk_flat_ray(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings, gjk_ray_result *result) {
    const uint8_t kind = target->shape->flat;
    if (kind == GJK_FLAT_NOT || target->pose.form == GJK_POSE_REST) {
        return gjk_raycast_any(target, ray, settings, result);
    }
    if (kind == GJK_FLAT_POINT) {
        return gjk_flat_ray_circle(target, ray, settings, result);
    }
    if (target->shape->radius > 0.0) {
        return target->shape->count == 2 ? gjk_flat_ray_capsule(target, ray, settings, result)
                                         : gjk_raycast_any(target, ray, settings, result);
    }
    return GJK_FASTEST(gjk_flat_ray_plain, gjk_flat_ray_avx2,
                       gjk_flat_ray_avx512)(target, ray, settings, result);
}

/* Sets all members but distance, point and normal. */
TWO_INLINE void gjk_flat_ray_begin(bool hit, gjk_ray_result *result) {
    result->convergence = GJK_CONVERGED;
    result->iterations = 1;
    result->hit = result->has_normal = hit;
    result->inside = result->has_material = result->given_up = false;
    result->piece = GJK_NO_PIECE;
    result->material = 0;
}

TWO_INLINE void gjk_flat_ray_miss(gjk_ray_result *result) {
    const gjk_two none = {0.0, 0.0};
    gjk_flat_ray_begin(false, result);
    result->distance = 0.0;
    memcpy(&result->point, &none, sizeof none);
    memcpy(&result->normal, &none, sizeof none);
    result->point.z = result->normal.z = 0.0;
}

/* Sets a hit at that distance, cut to the ray's length. The normal is in world axes, against the
 * ray. */
TWO_INLINE void gjk_flat_ray_hit(const gjk_ray *ray, double distance, gjk_vec2 normal,
                                 gjk_ray_result *result) {
    const double cut = distance < ray->max_distance ? distance : ray->max_distance;
    gjk_flat_ray_begin(true, result);
    result->distance = cut;
    result->point.x = ray->origin.x + cut * ray->direction.x;
    result->point.y = ray->origin.y + cut * ray->direction.y;
    result->normal.x = normal.x + 0.0;
    result->normal.y = normal.y + 0.0;
    result->point.z = result->normal.z = 0.0;
}

#endif
