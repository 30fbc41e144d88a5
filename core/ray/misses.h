#ifndef GJK_RAY_MISSES_H
#define GJK_RAY_MISSES_H

/*
 * Four triangles of a leaf against a ray or a moving shape, in the frame of the shape that they belong
 * to: the bits of those that it surely misses. What is left may still miss. corners[k][i] is corner i of
 * triangle k, followed by another number. One function for each instruction set, with the same bits.
 */

#include "gjk/vec.h"

#include <stdint.h>

/* Triangles that are tested at once. */
#define GJK_MISS_LANES 4

/* A ray as the triangles see it. */
typedef struct gjk_miss_ray {
    gjk_vec3 origin, direction; /* a unit vector, within rounding */
    double tolerance;           /* relative to a triangle's size */
    double rounding;            /* of the numbers above: a length */
} gjk_miss_ray;

/* Also those that it meets only beyond `bound` along its direction: by the edge tests of Woop, Benthin,
 * Wald (Watertight Ray/Triangle Intersection, 2013), with a margin for the tolerance and for rounding.
 */
typedef uint32_t gjk_ray_misses(const gjk_miss_ray *ray,
                                const gjk_vec3 *const corners[GJK_MISS_LANES][3], double bound);
extern gjk_ray_misses *const gjk_ray_misses_plain, *const gjk_ray_misses_avx2,
                                                       *const gjk_ray_misses_avx512;

/* A solid that holds a moving convex shape: the sum of segments, from -half to +half each, and of a
 * ball. A sphere has no segment, a capsule one, a box three. */
typedef struct gjk_swept {
    gjk_vec3 center, half[3];
    uint32_t half_count;
    double radius; /* with what covers tolerance and rounding */
    gjk_vec3 way;  /* of the whole motion */
} gjk_swept;

/* On its way up to a fraction of it: some plane parts the triangle from all that is swept (the
 * separating axis theorem). */
typedef uint32_t gjk_sweep_misses(const gjk_swept *swept,
                                  const gjk_vec3 *const corners[GJK_MISS_LANES][3], double bound);
extern gjk_sweep_misses *const gjk_sweep_misses_plain, *const gjk_sweep_misses_avx2,
                                                           *const gjk_sweep_misses_avx512;

#endif
