/*
 * A ray at a circle: as ball.c, in the plane. The line's distance from the centre and half the chord
 * are the legs of a right triangle whose hypotenuse is the radius, so the normal is of unit length as
 * it stands.
 */

#include "base/larger.h"
#include "base/rounding.h"
#include "ray/flat/flat_ray.h"

static double square(double x) {
    return x * x;
}

bool gjk_flat_ray_circle(const gjk_placed *target, const gjk_ray *ray,
                         const gjk_ray_settings *settings, gjk_ray_result *result) {
    const gjk_shape *shape = target->shape;
    const gjk_vec3 *r = &target->pose.rotation.r0;
    const gjk_vec2 own = {shape->columns[0], shape->columns[GJK_LANES]};
    const gjk_vec2 between = gjk_sub2(gjk_xy(target->pose.position), gjk_xy(ray->origin));
    const gjk_vec2 d = gjk_xy(ray->direction);
    const gjk_vec2 center = {r->x * own.x + r->y * own.y + between.x,
                             r->x * own.y - r->y * own.x + between.y};
    const double reach = gjk_larger(fabs(between.x), fabs(between.y)) + shape->reach;
    const double rounding = 4.0 * GJK_ROUNDING * reach, radius = shape->radius;
    const double near = radius + 2.0 * gjk_larger(settings->tolerance * shape->size, rounding);
    if (radius < 0x1p-90 || reach > 0x1p99 || !(gjk_dot2(center, center) > square(near))) {
        return gjk_raycast_any(target, ray, settings, result);
    }
    const double along = gjk_dot2(center, d), left = gjk_cross2(d, center);
    const double chord = sqrt(gjk_larger((radius - left) * (radius + left), 0.0));
    const double t = along - chord;
    if (fabs(left) > radius + rounding || t < 0.0 || t > ray->max_distance + rounding) {
        gjk_flat_ray_miss(result);
        return true;
    }
    const double across = gjk_larger(-1.0, gjk_smaller(left / radius, 1.0)), back = chord / radius;
    const gjk_vec2 normal = {across * d.y - back * d.x, -across * d.x - back * d.y};
    gjk_flat_ray_hit(ray, t, normal, result);
    return true;
}
