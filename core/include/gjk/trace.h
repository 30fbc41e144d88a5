#ifndef GJK_TRACE_H
#define GJK_TRACE_H

/*
 * Trace of how the general method solves a pair query: each support point and simplex, in the order
 * of the iteration. A pair that has a closed form is also iterated for the recorder. The answer has
 * the same bits with and without a recorder; without one the cost is a test of a pointer at each
 * step.
 */

#include "gjk/vec.h"

#include <stdint.h>

GJK_BEGIN

typedef enum gjk_phase { GJK_PHASE_GJK, GJK_PHASE_EPA } gjk_phase;

/*
 * One step, in world axes and units; z is 0 in 2D. Points of the Minkowski difference are
 * differences of a point of a and a point of b, without the radii. `simplex`: in GJK the simplex
 * after the step, in EPA the corners of the face (2D: edge) nearest the origin before it.
 * `closest`: the simplex's point nearest the origin. The bounds enclose the signed distance of the
 * shapes, radii included; upper_bound is INFINITY until there is one.
 */
typedef struct gjk_trace_step {
    gjk_phase phase;
    gjk_vec3 direction; /* unit; direction of the support point */
    gjk_vec3 support_a, support_b, support_w;
    gjk_vec3 simplex[4];
    uint32_t simplex_count;
    gjk_vec3 closest;
    double lower_bound, upper_bound;
    const char *note; /* a short description, static storage */
} gjk_trace_step;

/* Observer of the steps, called within the query, on its thread, in order. Borrows user. */
typedef struct gjk_recorder {
    void (*record)(void *user, const gjk_trace_step *step);
    void *user;
} gjk_recorder;

GJK_END

#endif
