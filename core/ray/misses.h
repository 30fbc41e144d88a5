#ifndef GJK_RAY_MISSES_H
#define GJK_RAY_MISSES_H

/*
 * Rejection test of four triangles of a leaf against a moving shape, in the frame of the
 * triangles' mesh. A function returns a bit for each triangle that is certainly missed; the others
 * may be missed or hit. corners[k][i] is corner i of triangle k; one more number must be readable
 * after it. One function for each instruction set, with the same bits.
 */

#include "gjk/vec.h"

#include <stdint.h>

/* Triangles that are tested at once. */
#define GJK_MISS_LANES 4

/* A solid that contains a moving convex shape: the Minkowski sum of segments, each from -half to
 * +half, and of a ball. A sphere has no segment, a capsule one, a box three. */
typedef struct gjk_swept {
    gjk_vec3 center, half[3];
    uint32_t half_count;
    double radius; /* radius of the ball, enlarged by the tolerance and rounding */
    gjk_vec3 way;  /* translation of the whole motion */
} gjk_swept;

/* Rejects triangles that a plane separates from the volume swept up to the fraction `bound` of the
 * motion (separating axis theorem). */
typedef uint32_t gjk_sweep_misses(const gjk_swept *swept,
                                  const gjk_vec3 *const corners[GJK_MISS_LANES][3], double bound);
extern gjk_sweep_misses *const gjk_sweep_misses_plain, *const gjk_sweep_misses_avx2,
                                                           *const gjk_sweep_misses_avx512;

#endif
