/*
 * Rays at circles and capsules in the plane.
 *
 * A circle is a ball in the plane. The line's distance from the centre and half the chord are the
 * legs of a right triangle whose hypotenuse is the radius, so the normal needs no normalization.
 */

#include "base/numbers.h"

#include "ray/flat/flat.h"

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
    if (radius < 0x1p-90 || reach > 0x1p99 || !(gjk_dot2(center, center) > near * near)) {
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

/*
 * A 2D capsule is the union of the balls around both ends and of the rectangle between them: the
 * line enters the capsule where it first enters one of the three. Both balls are computed in
 * parallel. Everything is in world axes relative to the ray's origin, so that only the two ends and
 * one normal have to be rotated.
 */

/* Where the columns of the normals begin: see shape/convex/cloud.h. */
enum { NORMAL_X = 2 * GJK_LANES, NORMAL_Y = 3 * GJK_LANES };

/* Least radius relative to the size: smaller radii have less effect than rounding. */
#define RADIUS_LEAST 0x1p-60

/* Least cosine between a normal and the reversed ray at which rounding cannot change its sign. */
#define RATE_LEAST 0x1p-40

/* Both ends in lanes, relative to the ray's origin. */
typedef struct view {
    gjk_two x, y, along, left; /* left: their distance to the left of the line */
    gjk_two side;              /* unit normal of the side that faces the ray, in world axes */
    gjk_two direction;
    double radius, slack;
} view;

static inline view see_capsule(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_shape *shape = target->shape;
    const double *own = shape->columns;
    const gjk_two_turn turn = two_turn_of(&target->pose);
    const gjk_two between = two_of(&target->pose.position) - two_of(&ray->origin);
    const gjk_two x = {own[0], own[1]}, y = {own[GJK_LANES], own[GJK_LANES + 1]};
    view v = {.direction = two_of(&ray->direction), .radius = shape->radius};
    const gjk_two dx = two_all(v.direction[0]), dy = two_all(v.direction[1]);
    v.x = (turn.cosine * x + turn.sine * y) + two_all(between[0]);
    v.y = (turn.cosine * y - turn.sine * x) + two_all(between[1]);
    v.along = dx * v.x + dy * v.y;
    v.left = dx * v.y - dy * v.x;
    const gjk_two normal = two_turned(turn, (gjk_two){own[NORMAL_X], own[NORMAL_Y]});
    const gjk_two_bits is_behind = two_dots(normal, v.direction) > two_all(0.0);
    v.side = two_pick(is_behind, -normal, normal);
    v.slack = 4.0 * GJK_ROUNDING * (gjk_larger(fabs(between[0]), fabs(between[1])) + shape->reach);
    return v;
}

/* Returns true if the ray's origin is farther than `near` from the capsule. Its distance from the
 * segment has a component across it and, beyond an end, one along it. */
static inline bool starts_outside(const view *v, double near) {
    const gjk_two across = two_all(v->side[0]) * v->x + two_all(v->side[1]) * v->y;
    const gjk_two lengthwise = two_all(v->side[0]) * v->y - two_all(v->side[1]) * v->x;
    const double low = gjk_smaller(lengthwise[0], lengthwise[1]);
    const double high = gjk_larger(lengthwise[0], lengthwise[1]);
    const double beyond = gjk_larger(gjk_larger(low, -high), 0.0), limit = v->radius + near;
    return across[0] * across[0] + beyond * beyond > limit * limit;
}

/* Returns the parameter at which the line enters the side that faces it; INFINITY if it does
 * not. */
static inline double enter_side(const view *v) {
    const double lift = v->radius * (v->direction[0] * v->side[1] - v->direction[1] * v->side[0]);
    const gjk_two left = v->left + two_all(lift);
    const double part = left[0] / (left[0] - left[1]);
    const double nearer = v->radius * two_dot(v->direction, v->side);
    const double t = (v->along[0] + nearer) + part * (v->along[1] - v->along[0]);
    return (left[0] > 0.0) != (left[1] > 0.0) ? t : INFINITY;
}

/* Returns the outward normal where the line enters the ball around that end, or the side's normal
 * if rounding turns it past the end of the arc. */
static inline gjk_two normal_of_ball(const view *v, const double chord[2], int end) {
    const gjk_two normal =
        (two_all(v->left[end]) * two_crossed(v->direction) - two_all(chord[end]) * v->direction) /
        two_all(v->radius);
    const gjk_two axis = {v->x[1] - v->x[0], v->y[1] - v->y[0]};
    const double inward = two_dot(normal, axis);
    return (end == 0 ? inward > 0.0 : inward < 0.0) ? v->side : normal;
}

/* Casts a ray that starts outside. Returns false if undecided. A ball that the line misses by no
 * more than rounding counts as grazed: else a line that enters where ball and side meet might miss
 * both. */
static bool cast_from_outside(const view *v, const gjk_ray *ray, gjk_ray_result *result) {
    const double clearance =
        gjk_larger(gjk_smaller(v->left[0], v->left[1]), -gjk_larger(v->left[0], v->left[1])) -
        v->radius;
    if ((clearance > v->slack) | (gjk_larger(v->along[0], v->along[1]) < -v->radius)) {
        gjk_flat_ray_miss(result);
        return true;
    }
    const gjk_two squares = (two_all(v->radius) - v->left) * (two_all(v->radius) + v->left);
    const double chord[2] = {sqrt(gjk_larger(squares[0], 0.0)), sqrt(gjk_larger(squares[1], 0.0))};
    const double most = v->radius + v->slack;
    const double ball[2] = {fabs(v->left[0]) <= most ? v->along[0] - chord[0] : INFINITY,
                            fabs(v->left[1]) <= most ? v->along[1] - chord[1] : INFINITY};
    const double side = enter_side(v), first = gjk_smaller(ball[0], ball[1]);
    const gjk_two normal =
        side <= first ? v->side : normal_of_ball(v, chord, ball[0] <= ball[1] ? 0 : 1);
    const double t = gjk_smaller(side, first), rate = -two_dot(normal, v->direction);
    const double beyond = t - ray->max_distance;
    if ((clearance > -v->slack) | !(t < INFINITY) | (rate < RATE_LEAST)) {
        return false;
    }
    if (t < 0.0 || (beyond > 0.0 && beyond * rate > v->slack)) {
        gjk_flat_ray_miss(result);
        return true;
    }
    gjk_flat_ray_hit(ray, t, (gjk_vec2){normal[0], normal[1]}, result);
    return beyond <= 2.0 * v->slack;
}

bool gjk_flat_ray_capsule(const gjk_placed *target, const gjk_ray *ray,
                          const gjk_ray_settings *settings, gjk_ray_result *result) {
    const gjk_shape *shape = target->shape;
    const view v = see_capsule(target, ray);
    const double near = 2.0 * gjk_larger(settings->tolerance * shape->size, v.slack);
    const bool is_ordinary =
        (v.slack <= 4.0 * GJK_ROUNDING * 0x1p99) & (shape->radius > RADIUS_LEAST * shape->size);
    return (is_ordinary && starts_outside(&v, near) && cast_from_outside(&v, ray, result)) ||
           gjk_raycast_any(target, ray, settings, result);
}
