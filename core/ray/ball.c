/*
 * The closed form of a ray at a ball or a point: half a chord before the point of the ray
 * nearest the centre; in the world's axes, relative to the ray's origin. A grazing ray hits
 * within rounding.
 */

#include "base/larger.h"
#include "base/rounding.h"
#include "pair/frame.h"
#include "ray/closed_forms.h"
#include "ray/general.h"

/* A ball relative to the ray's origin, in units of the pair. */
typedef struct ball {
    gjk_vec3 center;
    double radius, rounding, unit;
} ball;

static ball ball_of(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_shape *shape = target->shape;
    gjk_vec3 own = gjk_mul3(&target->pose.rotation, gjk_shape_point(shape, 0));
    gjk_vec3 between = gjk_sub3(target->pose.position, ray->origin);
    double away = gjk_largest3(between), most = gjk_larger(away, shape->reach);
    double unit = gjk_unit_is_one(most) ? 1.0 : gjk_unit_of(most);
    return (ball){
        .center = gjk_scale3(unit, gjk_add3(own, between)),
        .radius = shape->radius * unit,
        .rounding = 4.0 * GJK_ROUNDING * (unit * (away + shape->reach)),
        .unit = unit,
    };
}

static double square(double x) {
    return x * x;
}

static gjk_ray_result hit(const ball *b, const gjk_ray *ray) {
    double along = gjk_dot3(b->center, ray->direction);
    gjk_vec3 off = gjk_sub3(gjk_scale3(along, ray->direction), b->center);
    double squared = gjk_dot3(off, off), inside = square(b->radius) - squared;
    if (squared > square(b->radius + b->rounding)) {
        return gjk_ray_miss();
    }
    double chord = inside > 0.0 ? sqrt(inside) : 0.0, t = along - chord;
    double distance = b->unit == 1.0 ? t : t / b->unit;
    bool reached = distance <= ray->max_distance || t <= ray->max_distance * b->unit + b->rounding;
    if (t < 0.0 || !reached) {
        return gjk_ray_miss(); /* behind the origin, or out of reach */
    }
    gjk_vec3 normal = gjk_sub3(off, gjk_scale3(chord, ray->direction));
    double length = gjk_length3(normal);
    normal = length > b->rounding ? gjk_scale3(1.0 / length, normal) : gjk_neg3(ray->direction);
    return gjk_ray_hit_at(ray, distance, normal);
}

gjk_ray_result gjk_raycast_ball(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings) {
    const ball b = ball_of(target, ray);
    double away = gjk_dot3(b.center, b.center);
    double near = gjk_larger(settings->tolerance * target->shape->size * b.unit, b.rounding);
    if (away <= square(b.radius)) {
        return gjk_ray_inside(ray, settings);
    }
    gjk_ray_result inside;
    if (away <= square(b.radius + 2.0 * near) &&
        gjk_ray_starts_inside(target, ray, settings, &inside)) {
        return inside; /* touching counts as inside */
    }
    return hit(&b, ray);
}
