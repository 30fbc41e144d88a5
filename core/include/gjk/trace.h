#ifndef GJK_TRACE_H
#define GJK_TRACE_H

/*
 * How a pair query comes to its answer by the general method: each support point and
 * simplex, in the order of the iteration. A pair that is answered without iteration is
 * iterated for the recorder's sake besides. The answer is the same to the bit as without a
 * recorder; without one a query pays a test of a pointer a step.
 */

#include "gjk/vec.h"

#include <stdint.h>

GJK_BEGIN

typedef enum gjk_phase { GJK_PHASE_GJK, GJK_PHASE_EPA } gjk_phase;

/*
 * One step. All in world axes and units; z is 0 in 2D. Points of the Minkowski difference are
 * differences of a point of a and a point of b, the radii left out. simplex: GJK the simplex after
 * the step, EPA the corners of the face (2D: edge) nearest the origin before it; closest: its point
 * nearest the origin. The bounds enclose the signed distance of the shapes, radii included; upper
 * is INFINITY until there is one.
 */
typedef struct gjk_trace_step {
    gjk_phase phase;
    gjk_vec3 direction; /* unit, in which the support point was sought */
    gjk_vec3 support_a, support_b, support_w;
    gjk_vec3 simplex[4];
    uint32_t simplex_count;
    gjk_vec3 closest;
    double lower_bound, upper_bound;
    const char *note; /* plain words, static storage */
} gjk_trace_step;

/* Called within the query, on its thread, in the order of the steps. Borrows user. */
typedef struct gjk_recorder {
    void (*record)(void *user, const gjk_trace_step *step);
    void *user;
} gjk_recorder;

GJK_END

#endif
