#ifndef GJK_RAY_H
#define GJK_RAY_H

/* Ray casts: find the first point origin + t * direction/|direction|, t in [0, max_distance], that
 * belongs to a placed shape. */

#include "gjk/pair.h"

GJK_BEGIN

typedef struct gjk_ray {
    gjk_vec3 origin;
    gjk_vec3 direction;  /* unit length: use gjk_ray_make */
    double max_distance; /* >= 0, inclusive; INFINITY: no limit */
} gjk_ray;

/* Checks and normalises a ray. In 2D the z components must be 0. NOT_FINITE (also for a NaN
 * max_distance), OUT_OF_RANGE (a coordinate past GJK_COORDINATE_MAX or a negative max_distance),
 * ZERO_DIRECTION. */
gjk_status gjk_ray_make(gjk_vec3 origin, gjk_vec3 direction, double max_distance,
                        gjk_ray *out) GJK_MUST_USE;

/* Settings of a ray cast: tolerance and max_iterations as in gjk_detect_settings. `solid`: an
 * origin inside a shape is a hit at distance 0; otherwise such a shape is not hit. `any`: only the
 * result's hit and given_up are asked and valid, so a shape of many pieces need not be searched for
 * the first hit. */
typedef struct gjk_ray_settings {
    double tolerance;
    uint32_t max_iterations;
    bool solid;
    bool any;
    gjk_budget *budget; /* for shapes of many pieces and for gjk_ray_exit; NULL: no limit */
} gjk_ray_settings;

static inline gjk_ray_settings gjk_ray_settings_default(void) {
    gjk_ray_settings settings = GJK_ZERO;
    settings.tolerance = GJK_TOLERANCE_DEFAULT;
    settings.max_iterations = GJK_ITERATIONS_DEFAULT;
    settings.solid = true;
    return settings;
}

/*
 * Result of a ray cast. distance is in length units along the ray and at most max_distance; a hit
 * past max_distance by no more than rounding counts as a hit at max_distance. normal is the outward
 * unit normal with normal . direction <= 0 (-direction for points, and along a segment). An origin
 * inside the shape, on its boundary or on a shape without thickness is `inside`: if solid, a hit at
 * distance 0 without normal (has_normal false).
 */
typedef struct gjk_ray_result {
    gjk_convergence convergence;
    uint32_t iterations;
    bool hit;
    bool inside;
    bool has_normal;
    bool has_material;
    bool given_up;     /* the budget is spent: nothing else is valid */
    uint32_t piece;    /* the piece hit; GJK_NO_PIECE: convex, or encloses the origin */
    uint32_t material; /* material of the piece */
    double distance;
    gjk_vec3 point;
    gjk_vec3 normal;
} gjk_ray_result;

/*
 * Casts a ray at a placed shape; determinism, memory and accuracy as gjk_detect. Up to rounding in
 * the plane of a slender triangle, a ray may hit about 1e-6 of the size beside it. Closed forms,
 * which count as one iteration, serve ball, capsule, box, 2D polytope and triangle, rounded
 * or not, and ellipse, half ellipse, slice, cylinder and cone without rounding; the general method
 * serves the rest. Source: van den Bergen, Ray Casting against General Convex Objects, 2004.
 */
void gjk_raycast_into(const gjk_placed *target, const gjk_ray *ray,
                      const gjk_ray_settings *settings, gjk_ray_result *result);

/* Returns the same by value; inline, so that callers that read one or two members copy no more. */
static inline gjk_ray_result gjk_raycast(const gjk_placed *target, const gjk_ray *ray,
                                         const gjk_ray_settings *settings) {
    gjk_ray_result result;
    gjk_raycast_into(target, ray, settings, &result);
    return result;
}

/*
 * Finds where the ray first leaves the target after *hit, which gjk_raycast returned for the same
 * arguments. *exit is a distance along the ray from hit->distance to ray->max_distance, equal to
 * hit->distance if the target has no thickness along the ray. The ray leaves a union of pieces
 * where no piece continues it: pieces that touch or share an edge continue each other, and a gap
 * wider than rounding ends the union. It leaves a closed mesh where the solid ends. As accurate as
 * the hit, at any magnitude of coordinates. Cost: a ray in the opposite direction at a convex
 * target; for pieces a walk down the tree and two rays at each piece on the way, in a closed mesh
 * also a point-in-solid test for each crossing of the surface. GIVEN_UP if the budget is spent.
 */
gjk_status gjk_ray_exit(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                        const gjk_ray_settings *settings, double *exit) GJK_MUST_USE;

GJK_END

#endif
