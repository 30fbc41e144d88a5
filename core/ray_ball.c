/*
 * What does a ray hit of a ball or a point? From the point of the ray nearest the
 * centre, back by half a chord; in the world's axes, seen from the ray's origin. A
 * grazing ray hits within rounding.
 */

#include "ray_ball.h"

#include "ray_general.h"
#include "rounding.h"
#include "unit.h"

static double largest(gjk_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/* All in units of the pair: the centre from the ray's origin. */
typedef struct ball {
    gjk_vec3 center;
    double radius, rounding, unit;
} ball;

static ball ball_of(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_shape *shape = target->shape;
    gjk_vec3 own = gjk_mul3(&target->pose.rotation, gjk_shape_point(shape, 0));
    gjk_vec3 between = gjk_sub3(target->pose.position, ray->origin);
    double unit = gjk_unit_of(fmax(largest(between), shape->reach));
    double scale = unit * (largest(between) + shape->reach);
    return (ball){
        .center = gjk_scale3(unit, gjk_add3(own, between)),
        .radius = shape->radius * unit,
        .rounding = 4.0 * GJK_ROUNDING * scale,
        .unit = unit,
    };
}

static gjk_ray_result hit(const ball *b, const gjk_ray *ray) {
    double along = gjk_dot3(b->center, ray->direction);
    gjk_vec3 off = gjk_sub3(gjk_scale3(along, ray->direction), b->center);
    double beside = gjk_length3(off);
    if (beside > b->radius + b->rounding) {
        return (gjk_ray_result){.iterations = 1};
    }
    double squared = (b->radius - beside) * (b->radius + beside);
    double chord = squared > 0.0 ? sqrt(squared) : 0.0, t = along - chord;
    if (t < 0.0 || t > ray->max_distance * b->unit + b->rounding) {
        return (gjk_ray_result){.iterations = 1}; /* behind the origin, or out of reach */
    }
    gjk_vec3 normal = gjk_sub3(off, gjk_scale3(chord, ray->direction));
    double length = gjk_length3(normal);
    normal = length > b->rounding ? gjk_scale3(1.0 / length, normal) : gjk_neg3(ray->direction);
    return gjk_ray_hit_at(ray, t / b->unit, normal);
}

gjk_ray_result gjk_raycast_ball(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings) {
    const ball b = ball_of(target, ray);
    double away = gjk_length3(b.center), tolerance = settings->tolerance * target->shape->size;
    double near = fmax(tolerance * b.unit, b.rounding);
    if (away <= b.radius) {
        return (gjk_ray_result){.hit = settings->solid,
                                .inside = true,
                                .iterations = 1,
                                .point = ray->origin};
    }
    gjk_ray_result inside;
    if (away <= b.radius + 2.0 * near && gjk_ray_starts_inside(target, ray, settings, &inside)) {
        return inside; /* touching is inside */
    }
    return hit(&b, ray);
}
