#ifndef GJK_RAY_GENERAL_GENERAL_H
#define GJK_RAY_GENERAL_GENERAL_H

/* Rays by the pair kernels, for every shape; the closed forms are tested against them. */

#include "gjk/ray.h"
#include "pair/frame.h"

/* The same promises as gjk_raycast, without a closed form anywhere. */
gjk_ray_result gjk_raycast_general(const gjk_placed *target, const gjk_ray *ray,
                                   const gjk_ray_settings *settings);

/* Returns true if gjk_detect finds the ray's origin inside or touching; then *out is the answer. */
bool gjk_ray_starts_inside(const gjk_placed *target, const gjk_ray *ray,
                           const gjk_ray_settings *settings, gjk_ray_result *out);

/* The hit of a ray whose origin is not inside, by the GJK ray cast. */
gjk_ray_result gjk_ray_from_outside(const gjk_placed *target, const gjk_ray *ray,
                                    const gjk_ray_settings *settings);

/* Casts a ray at a shape of many pieces. */
void gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                        const gjk_ray_settings *settings, gjk_ray_result *result);

/* A hit at that distance (cut to max_distance); normal: in the world's axes. Where rounding turned
 * the normal of a grazed surface along the ray, it is reflected to point against it. */
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

/* Copies an answer number by number, which avoids a store-forwarding stall where they were written
 * just now. */
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

/* The answers of a closed form for a miss and for an origin inside. */
static inline gjk_ray_result gjk_ray_miss(void) {
    return (gjk_ray_result){.iterations = 1};
}

static inline gjk_ray_result gjk_ray_inside(const gjk_ray *ray, const gjk_ray_settings *settings) {
    return (gjk_ray_result){.hit = settings->solid,
                            .inside = true,
                            .iterations = 1,
                            .point = ray->origin};
}

/* The goal of the GJK ray cast: the least t in [0, reach] at which the ball of the given radius
 * around t * direction touches the difference a - b. In the units of the pair's frame; direction is
 * of unit length. */
typedef struct gjk_ray_goal {
    gjk_vec3 direction;
    double reach; /* INFINITY: no limit */
    double radius;
    double tolerance;
    uint32_t max_iterations;
    double apart;       /* how far the first plane must part the two at the start, if > 0 */
    uint32_t steps;     /* that an iteration spends of the budget */
    gjk_budget *budget; /* ends the iteration as the limit does; NULL: endless */
} gjk_ray_goal;

/* normal: of a - b at the hit, against the direction (the reversed direction when the start is
 * within rounding of it). point_a: where the core of a touches (its distance from the moved b is
 * the radius). */
typedef struct gjk_ray_solution {
    bool hit;
    bool undecided; /* the iteration limit came first; then hit, at a lower bound of t */
    bool unproven;  /* the first plane does not part the two so far; nothing else is known then */
    uint32_t iterations;
    double t;
    gjk_vec3 normal;
    gjk_vec3 point_a;
    double inside; /* seen along the ray, the difference holds a disc of this radius about it */
} gjk_ray_solution;

/* Casts a ray from the origin at the difference of a placed pair. in_world: the goal in world axes
 * and units; the solution is in those of the pair's frame, whose unit is *unit. */
gjk_ray_solution gjk_ray_at_pair(const gjk_placed *a, const gjk_placed *b,
                                 const gjk_ray_goal *in_world, double *unit);

#endif
