#ifndef GJK_RAY_GENERAL_GENERAL_H
#define GJK_RAY_GENERAL_GENERAL_H

/* Rays by the kernels for pairs, for every shape. The closed forms are tested against them. */

#include "gjk/ray.h"
#include "pair/frame.h"

/* Does the same as gjk_raycast, without closed forms. */
gjk_ray_result gjk_raycast_general(const gjk_placed *target, const gjk_ray *ray,
                                   const gjk_ray_settings *settings);

/* Returns true if gjk_detect finds the ray's origin inside or touching; *out is the answer then. */
bool gjk_ray_starts_inside(const gjk_placed *target, const gjk_ray *ray,
                           const gjk_ray_settings *settings, gjk_ray_result *out);

/* Casts a ray whose origin is not inside, by the GJK ray cast. */
gjk_ray_result gjk_ray_from_outside(const gjk_placed *target, const gjk_ray *ray,
                                    const gjk_ray_settings *settings);

/* Casts a ray at a shape of many pieces. */
void gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                        const gjk_ray_settings *settings, gjk_ray_result *result);

/* Returns a hit at that distance, cut to max_distance. The normal is in world axes; if rounding
 * turned the normal of a grazed surface along the ray, it is reflected. */
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

/* Copies an answer number by number, which avoids a store-forwarding stall if it was just
 * written. */
static inline void gjk_ray_put(const gjk_ray_result *answer, gjk_ray_result *result) {
    result->convergence = answer->convergence;
    result->iterations = answer->iterations;
    result->hit = answer->hit;
    result->inside = answer->inside;
    result->has_normal = answer->has_normal;
    result->has_material = answer->has_material;
    result->given_up = answer->given_up;
    result->piece = answer->piece;
    result->material = answer->material;
    result->distance = answer->distance;
    result->point = (gjk_vec3){answer->point.x, answer->point.y, answer->point.z};
    result->normal = (gjk_vec3){answer->normal.x, answer->normal.y, answer->normal.z};
}

/* Return the answers of a closed form for a miss and for an origin inside. */
static inline gjk_ray_result gjk_ray_miss(void) {
    return (gjk_ray_result){.iterations = 1};
}

static inline gjk_ray_result gjk_ray_inside(const gjk_ray *ray, const gjk_ray_settings *settings) {
    return (gjk_ray_result){.hit = settings->solid,
                            .inside = true,
                            .iterations = 1,
                            .point = ray->origin};
}

/* Problem of the GJK ray cast: the least t in [0, reach] at which the ball of the given radius
 * around t * direction touches the Minkowski difference a - b. In units of the pair's frame. */
typedef struct gjk_ray_goal {
    gjk_vec3 direction; /* of unit length */
    double reach;       /* INFINITY: no limit */
    double radius;
    double tolerance;
    uint32_t max_iterations;
    double apart;   /* if > 0: gap of the first plane above which no test at the start is needed */
    uint32_t steps; /* steps of the budget that an iteration spends */
    gjk_budget *budget; /* ends the iteration like max_iterations; NULL: no limit */
} gjk_ray_goal;

typedef struct gjk_ray_solution {
    bool hit;
    bool undecided; /* the iteration limit was reached: a hit, at a lower bound of t */
    bool unproven;  /* the gap of the first plane is at most goal.apart; nothing else is set */
    uint32_t iterations;
    double t;
    gjk_vec3 normal;  /* of a - b at the hit, against the direction; if the start is on the surface
                         within rounding, the reversed direction */
    gjk_vec3 point_a; /* contact on the core of a, at distance `radius` from the moved b */
    double inside;    /* radius of a disc about the ray within the projection of a - b along it */
} gjk_ray_solution;

/* Casts a ray from the origin at the difference of a placed pair. in_world is the goal in world
 * axes and units; the solution is in axes and units of the pair's frame, whose unit is *unit. */
gjk_ray_solution gjk_ray_at_pair(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_ray_goal *in_world, double *unit);

#endif
