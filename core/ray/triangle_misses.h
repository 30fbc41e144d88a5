#ifndef GJK_RAY_TRIANGLE_MISSES_H
#define GJK_RAY_TRIANGLE_MISSES_H

#include "gjk/vec.h"

#include <stdint.h>

/* Triangles that are tested at once. */
#define GJK_MISS_LANES 4

/* A ray as triangles in the frame of their shape see it. */
typedef struct gjk_miss_ray {
    gjk_vec3 origin, direction; /* a unit vector, within rounding */
    double tolerance;           /* relative to a triangle's size */
    double rounding;            /* of the numbers above: a length */
} gjk_miss_ray;

/*
 * The bits of those triangles that the ray surely misses, or meets only beyond `bound` along its
 * direction: by the edge tests of Woop, Benthin, Wald (Watertight Ray/Triangle Intersection, 2013),
 * with a margin for the tolerance and for rounding. What is left may still miss. corners[k][i] is
 * corner i of triangle k, followed by another number. Two forms with the same bits.
 */
typedef uint32_t gjk_triangle_misses(const gjk_miss_ray *ray,
                                     const gjk_vec3 *const corners[GJK_MISS_LANES][3],
                                     double bound);
extern gjk_triangle_misses *const gjk_triangle_misses_plain, *const gjk_triangle_misses_avx2,
                                                                 *const gjk_triangle_misses_avx512;

#endif
