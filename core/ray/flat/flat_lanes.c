/*
 * The kernel of flat.h for polygons. As in polygon.c, the line enters through the edge that crosses
 * it from left to right.
 */

#include "base/eight_lanes.h"
#include "base/numbers.h"
#include "pair/kernels/flat_columns.h"
#include "ray/flat/flat.h"

/* Least cosine between an edge's normal and the reversed ray: above it the division by it moves the
 * hit by at most 2^20 times rounding; below it rounding might turn the normal along the ray. */
#define RATE_LEAST 0x1p-20

/* Sets the result for an entry through an edge; origin and direction are in the polygon's frame.
 * Returns false if undecided, because the ray ends close to the edge, or runs along it. */
LANES_INLINE bool enter(const gjk_placed *target, const gjk_ray *ray, gjk_vec2 origin,
                        gjk_vec2 direction, double slack, uint32_t edge, gjk_ray_result *result) {
    const double *columns = target->shape->columns;
    const gjk_vec3 *r = &target->pose.rotation.r0;
    const double nx = columns[NORMAL_X + edge], ny = columns[NORMAL_Y + edge];
    const double rate = -(nx * direction.x + ny * direction.y);
    if (rate < RATE_LEAST) {
        return false;
    }
    const double t = (nx * origin.x + ny * origin.y - columns[OFFSET + edge]) / rate;
    const double beyond = t - ray->max_distance;
    if (t < 0.0 || (beyond > 0.0 && beyond * rate > slack)) {
        gjk_flat_ray_miss(result);
        return true;
    }
    if (beyond > 2.0 * slack) {
        return false;
    }
    const gjk_vec2 normal = {r->x * nx + r->y * ny, r->x * ny - r->y * nx};
    gjk_flat_ray_hit(ray, t, normal, result);
    return true;
}

/* Loads each number of the ray into all lanes and rotates it to the polygon's frame there, which is
 * faster than to broadcast the rotated numbers. */
LANES_INLINE bool cast_ray(const gjk_placed *target, const gjk_ray *ray, double tolerance,
                           gjk_ray_result *result) {
    const gjk_shape *shape = target->shape;
    const double *columns = shape->columns;
    const gjk_vec3 *r = &target->pose.rotation.r0, *at = &target->pose.position;
    const lanes c = lanes_spread(&r->x), s = lanes_spread(&r->y);
    const lanes x = lanes_sub(lanes_spread(&ray->origin.x), lanes_spread(&at->x));
    const lanes y = lanes_sub(lanes_spread(&ray->origin.y), lanes_spread(&at->y));
    const lanes u = lanes_spread(&ray->direction.x), w = lanes_spread(&ray->direction.y);
    const lanes ox = lanes_sub(lanes_mul(c, x), lanes_mul(s, y)), oy = dot(s, c, x, y);
    const lanes dx = lanes_sub(lanes_mul(c, u), lanes_mul(s, w)), dy = dot(s, c, u, w);
    /* signed distances of the corners to the left of the line, and of the origin from the edges */
    const lanes own_left = lanes_sub(lanes_mul(u, y), lanes_mul(w, x));
    const lanes left = lanes_sub(lanes_sub(lanes_mul(dx, lanes_load(columns + COLUMN)),
                                           lanes_mul(dy, lanes_load(columns))),
                                 own_left);
    const lanes gap =
        lanes_sub(dot(ox, oy, lanes_load(columns + NORMAL_X), lanes_load(columns + NORMAL_Y)),
                  lanes_load(columns + OFFSET));
    const double reach = gjk_larger(fabs(lanes_first(x)), fabs(lanes_first(y))) + shape->reach;
    const double slack = 4.0 * GJK_ROUNDING * reach;
    const double near = 2.0 * gjk_larger(tolerance * shape->size, slack);
    const uint32_t is_left = lanes_above(left, lanes_all(slack));
    const uint32_t is_not_right = lanes_not_below(left, lanes_all(-slack));
    const bool is_outside = lanes_above(gap, lanes_all(near)) != 0;
    if (reach > 0x1p99 || !is_outside) {
        return false;
    }
    if (lanes_unbranched((is_left == ALL_LANES) | (is_not_right == 0))) {
        gjk_flat_ray_miss(result);
        return true;
    }
    /* the last corner on the left: the entered edge starts there */
    const uint32_t last = is_left & ~(is_left >> 1 | is_left << (COLUMN - 1)) & ALL_LANES;
    if (last == 0 || (last & (last - 1)) != 0 || is_not_right == ALL_LANES) {
        return false;
    }
    return enter(target, ray, (gjk_vec2){lanes_first(ox), lanes_first(oy)},
                 (gjk_vec2){lanes_first(dx), lanes_first(dy)}, slack, (uint32_t)__builtin_ctz(last),
                 result);
}

LANES_INLINE bool ray_at_polygon(const gjk_placed *target, const gjk_ray *ray,
                                 const gjk_ray_settings *settings, gjk_ray_result *result) {
    return cast_ray(target, ray, settings->tolerance, result) ||
           gjk_raycast_any(target, ray, settings, result);
}

gjk_flat_ray_kernel *const LANES_FORM(gjk_flat_ray) = ray_at_polygon;
