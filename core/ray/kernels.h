#ifndef GJK_RAY_KERNELS_H
#define GJK_RAY_KERNELS_H

#include "pair/frame.h"

/*
 * What the ray kernels are asked: at which least t in [0, reach] does the ball of
 * the given radius around t * direction touch the difference a - b? All in the
 * units of the pair's frame; direction is of unit length.
 */
typedef struct gjk_ray_goal {
    gjk_vec3 direction;
    double reach; /* INFINITY: no limit */
    double radius;
    double tolerance;
    uint32_t max_iterations;
} gjk_ray_goal;

/*
 * normal: of a - b at the hit, against the direction (the direction turned back when
 * the start was within rounding). point_a: where the core of a touches (its distance from the
 * moved b is the radius).
 */
typedef struct gjk_ray_solution {
    bool hit;
    bool undecided; /* the iteration limit came first; then hit, at a lower bound of t */
    uint32_t iterations;
    double t;
    gjk_vec3 normal;
    gjk_vec3 point_a;
} gjk_ray_solution;

/* What one support plane did to the ray's current point. */
typedef enum gjk_ray_step { GJK_RAY_MISSED, GJK_RAY_MOVED, GJK_RAY_STAYED } gjk_ray_step;

/* Casts a ray from the frame's origin at a - b. */
gjk_ray_solution gjk_ray2(const gjk_frame2 *frame, const gjk_ray_goal *goal);
gjk_ray_solution gjk_ray3(const gjk_frame3 *frame, const gjk_ray_goal *goal);

#endif
