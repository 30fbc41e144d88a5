#ifndef GJK_RAY_CASTS_SWEEP_MISSES_H
#define GJK_RAY_CASTS_SWEEP_MISSES_H

#include "gjk/vec.h"

#include <stdint.h>

/* Triangles that are tested at once. */
#define GJK_SWEEP_LANES 4

/* A solid that holds a moving convex shape, in the frame of a shape of triangles: the sum of
 * segments, from -half to +half each, and of a ball. A sphere has no segment, a capsule one, a box
 * three. */
typedef struct gjk_swept {
    gjk_vec3 center, half[3];
    uint32_t half_count;
    double radius; /* with what covers tolerance and rounding */
    gjk_vec3 way;  /* of the whole motion */
} gjk_swept;

/*
 * The bits of those triangles that the shape surely misses on its way up to a fraction of it: some
 * plane parts the triangle from all that is swept (the separating axis theorem). What is left may
 * still miss. corners[k][i] is corner i of triangle k, followed by another number. Two forms with the
 * same bits.
 */
typedef uint32_t gjk_sweep_misses(const gjk_swept *swept,
                                  const gjk_vec3 *const corners[GJK_SWEEP_LANES][3], double bound);
extern gjk_sweep_misses *const gjk_sweep_misses_plain, *const gjk_sweep_misses_avx2,
                                                           *const gjk_sweep_misses_avx512;

#endif
