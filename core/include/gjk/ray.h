#ifndef GJK_RAY_H
#define GJK_RAY_H

/* Ray casts: the first point origin + t * direction/|direction|, t in [0, max_distance], that
 * belongs to a placed shape. */

#include "gjk/pair.h"

GJK_BEGIN

typedef struct gjk_ray {
    gjk_vec3 origin;
    gjk_vec3 direction;  /* unit length: use gjk_ray_make */
    double max_distance; /* >= 0, inclusive; INFINITY: no limit */
} gjk_ray;

/* Checks and normalises. In 2D the z components must be 0. NOT_FINITE (a NaN max_distance
 * included), OUT_OF_RANGE (a coordinate past GJK_COORDINATE_MAX or a negative max_distance),
 * ZERO_DIRECTION. */
gjk_status gjk_ray_make(gjk_vec3 origin, gjk_vec3 direction, double max_distance,
                        gjk_ray *out) GJK_MUST_USE;

/* tolerance and max_iterations as in gjk_detect_settings; solid: an origin inside is a hit at
 * distance 0, otherwise that shape is not hit. */
typedef struct gjk_ray_settings {
    double tolerance;
    uint32_t max_iterations;
    bool solid;
    gjk_budget *budget; /* of shapes of many pieces, and of ways out; NULL: endless */
} gjk_ray_settings;

static inline gjk_ray_settings gjk_ray_settings_default(void) {
    gjk_ray_settings settings = GJK_ZERO;
    settings.tolerance = GJK_TOLERANCE_DEFAULT;
    settings.max_iterations = GJK_ITERATIONS_DEFAULT;
    settings.solid = true;
    return settings;
}

/*
 * distance is in length units along the ray and at most max_distance; a hit that lies
 * behind it by no more than rounding counts, as one at max_distance. normal is the
 * outward unit normal with normal . direction <= 0 (for points, and along a segment,
 * -direction). An origin inside the shape, on its boundary or on a shape without thickness is
 * `inside`: hit at distance 0 without normal (has_normal false), if solid.
 */
typedef struct gjk_ray_result {
    gjk_convergence convergence;
    uint32_t iterations;
    bool hit;
    bool inside;
    bool has_normal;
    bool has_material;
    bool given_up;  /* the budget is spent: nothing else is valid */
    uint32_t piece; /* that is hit; GJK_NO_PIECE: the target is convex, or it encloses the origin */
    uint32_t material; /* of that piece */
    double distance;
    gjk_vec3 point;
    gjk_vec3 normal;
} gjk_ray_result;

/*
 * Same promises as gjk_detect. Closed forms where they exist (ball, capsule, box, 2D
 * polytope and their roundings, triangle; ellipse, half ellipse, slice, cylinder and cone
 * without), which count as one iteration, the general method elsewhere.
 * Source: van den Bergen, Ray Casting against General Convex Objects, 2004.
 */
void gjk_raycast_into(const gjk_placed *target, const gjk_ray *ray,
                      const gjk_ray_settings *settings, gjk_ray_result *result);

/* The same as a value; inline, so that a caller who looks at a member or two copies no more. */
static inline gjk_ray_result gjk_raycast(const gjk_placed *target, const gjk_ray *ray,
                                         const gjk_ray_settings *settings) {
    gjk_ray_result result;
    gjk_raycast_into(target, ray, settings, &result);
    return result;
}

/*
 * Finds where the ray leaves the target again for the first time after *hit, which gjk_raycast
 * found with the same arguments: the distance along the ray, from hit->distance to
 * ray->max_distance, and equal to hit->distance where the target has no thickness along the ray. A
 * union of pieces is left where no piece goes on: those that touch or share an edge are one, and a
 * gap that rounding does not hide ends it. A closed mesh is left where its solid ends. As accurate
 * as the hit, wherever the numbers stand. Cost: a ray of the opposite direction at a convex target;
 * for pieces a walk down the tree and two rays at each that the way out leads through, in a closed
 * mesh also a test of a point for each crossing of its surface. GIVEN_UP where the budget is spent.
 */
gjk_status gjk_ray_exit(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                        const gjk_ray_settings *settings, double *exit) GJK_MUST_USE;

GJK_END

#endif
