/*
 * Rays at one placed shape, by closed forms for whole lines: a line enters at one point and leaves
 * at another, and the ray's origin is inside if it is between them. The general method answers for
 * shapes without a closed form, and if a form is not sure. If the origin is so near the surface
 * that it may count as touching, gjk_detect decides, as for a pair.
 *
 * The line's parameter starts at its point nearest the shape, so that a distant origin costs only
 * the rounding of that point. A line that misses the bounding ball misses the shape.
 */

#include "gjk/ray.h"

#include "base/numbers.h"
#include "pair/frame.h"
#include "ray/closed/closed_forms.h"
#include "ray/flat/flat.h"
#include "ray/general/general.h"
#include "shape/box.h"

static bool finite3(gjk_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

gjk_status gjk_ray_make(gjk_vec3 origin, gjk_vec3 direction, double max_distance, gjk_ray *out) {
    if (!finite3(origin) || !finite3(direction) || isnan(max_distance)) {
        return GJK_NOT_FINITE;
    }
    if (gjk_largest3(origin) > GJK_COORDINATE_MAX || max_distance < 0.0) {
        return GJK_OUT_OF_RANGE;
    }
    double most = gjk_largest3(direction);
    if (most == 0.0) {
        return GJK_ZERO_DIRECTION;
    }
    gjk_vec3 d = gjk_unit_is_one(most) ? direction : gjk_scale3(gjk_unit_of(most), direction);
    double length = gjk_length3(d);
    out->origin = origin;
    out->direction = (gjk_vec3){d.x / length, d.y / length, d.z / length};
    out->max_distance = max_distance;
    return GJK_OK;
}

/* A ray in its target's frame, and the results of the tests by the bounding ball. */
typedef struct own_ray {
    gjk_line line;
    double foot;      /* distance of line.point from the ray's origin, along the ray */
    double near;      /* largest distance at which an origin may count as touching */
    bool misses_ball; /* the line misses the bounding ball, or the ray ends before it */
    bool is_outside;  /* the origin is outside the bounding ball, by more than `near` */
} own_ray;

/* Returns v rotated by the inverse of m; flat: m rotates about z, and v.z is 0. */
static inline gjk_vec3 turned_back(const gjk_mat3 *m, gjk_vec3 v, bool flat) {
    return flat ? (gjk_vec3){m->r0.x * v.x + m->r1.x * v.y, m->r0.y * v.x + m->r1.y * v.y, 0.0}
                : gjk_mul3_transposed(m, v);
}

static own_ray make_own(const gjk_placed *target, const gjk_ray *ray, double tolerance) {
    const gjk_shape *shape = target->shape;
    const gjk_mat3 *rotation = &target->pose.rotation;
    bool flat = shape->dimension == 2;
    gjk_vec3 origin = turned_back(rotation, gjk_sub3(ray->origin, target->pose.position), flat);
    gjk_vec3 direction = turned_back(rotation, ray->direction, flat);
    gjk_vec3 from = gjk_sub3(origin, shape->center);
    double slack = 4.0 * GJK_ROUNDING * (gjk_largest3(origin) + shape->reach);
    double foot = -gjk_dot3(from, direction);
    gjk_vec3 off = gjk_add3(from, gjk_scale3(foot, direction));
    own_ray own = {
        .line = {gjk_add3(origin, gjk_scale3(foot, direction)), direction, slack},
        .foot = foot,
        .near = 2.0 * gjk_larger(tolerance * shape->size, slack),
    };
    double ball = shape->bounding_radius + own.near, square = ball * ball;
    double off_squared = gjk_dot3(off, off), away = gjk_dot3(from, from);
    own.is_outside = away > square;
    own.misses_ball =
        off_squared > square || (own.is_outside && (foot < 0.0 || foot - ball > ray->max_distance));
    return own;
}

/* Returns true if a line that enters behind the origin leaves beyond it. *sure: it is proven. */
static bool starts_inside(const gjk_shape *shape, const own_ray *own, bool *sure) {
    gjk_line back = own->line;
    back.direction = gjk_neg3(back.direction);
    gjk_line_hit out = gjk_line_meet(shape, &back);
    double t = own->foot - out.t, above = t * gjk_dot3(out.normal, back.direction);
    *sure = out.verdict == GJK_LINE_HITS && (t >= 0.0 || above > own->near);
    return t >= 0.0;
}

/* Returns true if the origin is inside. Sets *sure if that is proven either way: an origin farther
 * than `near` above the tangent plane at the entry is certainly outside. */
static bool is_inside(const gjk_shape *shape, const own_ray *own, const gjk_line_hit *hit,
                      bool *sure) {
    *sure = own->is_outside;
    if (own->is_outside || hit->verdict == GJK_LINE_UNSURE) {
        return false;
    }
    if (hit->verdict == GJK_LINE_MISSES) {
        *sure = hit->clearance > own->near;
        return false;
    }
    double t = own->foot + hit->t;
    if (t <= 0.0) {
        return starts_inside(shape, own, sure);
    }
    *sure = -t * gjk_dot3(hit->normal, own->line.direction) > own->near;
    return false;
}

/* Returns the answer for an origin outside. A ray that ends before the surface but within rounding
 * of it hits. The tangent plane at the entry decides that, unless the ray grazes a curve: then the
 * general method decides. */
static gjk_ray_result hit_from_outside(const gjk_placed *target, const gjk_ray *ray,
                                       const gjk_ray_settings *settings, const own_ray *own,
                                       const gjk_line_hit *hit) {
    double t = own->foot + hit->t, rate = -gjk_dot3(hit->normal, own->line.direction);
    double beyond = t - ray->max_distance;
    bool reached = beyond <= 0.0 || beyond * rate <= own->line.slack;
    if (hit->verdict == GJK_LINE_MISSES || t < 0.0 || !reached) {
        return gjk_ray_miss();
    }
    if (beyond > 2.0 * own->line.slack) {
        return gjk_ray_from_outside(target, ray, settings);
    }
    return gjk_ray_hit_at(ray, t, gjk_mul3(&target->pose.rotation, hit->normal));
}

static gjk_ray_result raycast_convex(const gjk_placed *target, const gjk_ray *ray,
                                     const gjk_ray_settings *settings) {
    const gjk_shape *shape = target->shape;
    if (shape->count == 1) {
        return gjk_raycast_ball(target, ray, settings);
    }
    gjk_vec3 between = gjk_sub3(ray->origin, target->pose.position);
    if (!gjk_unit_is_one(gjk_larger(gjk_largest3(between), shape->reach))) {
        return gjk_raycast_general(target, ray, settings);
    }
    const own_ray own = make_own(target, ray, settings->tolerance);
    if (own.misses_ball) {
        return gjk_ray_miss();
    }
    gjk_line_hit hit = gjk_line_meet(shape, &own.line);
    bool sure;
    gjk_ray_result inside = gjk_ray_inside(ray, settings);
    bool is_within = is_inside(shape, &own, &hit, &sure);
    if (!sure && gjk_ray_starts_inside(target, ray, settings, &inside)) {
        return inside;
    }
    if (sure && is_within) {
        return inside;
    }
    return hit.verdict == GJK_LINE_UNSURE ? gjk_ray_from_outside(target, ray, settings)
                                          : hit_from_outside(target, ray, settings, &own, &hit);
}

/* Casts at a target that is far from its own origin, in a frame with the origin in its middle. */
static gjk_ray_result raycast_far(const gjk_placed *target, const gjk_ray *ray,
                                  const gjk_ray_settings *settings) {
    gjk_near_shape near;
    const gjk_wide3 at = gjk_near_make(target, &near);
    gjk_ray from_there = *ray;
    from_there.origin = gjk_wide3_sub(gjk_wide3_of(ray->origin), at);
    gjk_ray_result result;
    gjk_raycast_into(&near.placed, &from_there, settings, &result);
    if (result.hit) {
        result.point = result.inside ? ray->origin : gjk_wide3_add(at, result.point);
    }
    return result;
}

/* Serves all rays at convex shapes that ray/flat does not decide. */
bool gjk_raycast_any(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_settings *settings,
                     gjk_ray_result *result) {
    gjk_ray_result answer = gjk_is_far(target) ? raycast_far(target, ray, settings)
                                               : raycast_convex(target, ray, settings);
    answer.has_material = false;
    answer.given_up = gjk_budget_is_spent(settings->budget);
    answer.piece = GJK_NO_PIECE;
    answer.material = 0;
    gjk_ray_put(&answer, result);
    return false;
}

void gjk_raycast_into(const gjk_placed *target, const gjk_ray *ray,
                      const gjk_ray_settings *settings, gjk_ray_result *result) {
    if (target->shape->pieces != NULL) {
        gjk_raycast_pieces(target, ray, settings, result);
    } else {
        (void)gjk_flat_ray(target, ray, settings, result);
    }
}
