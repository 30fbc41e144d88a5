#ifndef GJK_RAY_CASTS_ADVANCE_H
#define GJK_RAY_CASTS_ADVANCE_H

/*
 * When two convex shapes that both move and turn first meet, by conservative advancement: Mirtich,
 * Impulse-based Dynamic Simulation, 1996; Zhang, Lee, Kim, Interactive Continuous Collision
 * Detection for Non-Convex Polyhedra, 2006.
 */

#include "gjk/cast.h"
#include "gjk/motion.h"
#include "ray/query_bounds.h"

/* A convex shape in a frame that moves: itself, or a piece of a whole. Borrows the shape, unless
 * that is far from its own origin. Must not move in memory. */
typedef struct gjk_mover {
    gjk_pose start;          /* of the frame */
    gjk_vec3 rest;           /* what start.position lacks of where the frame starts */
    gjk_placed part;         /* in the frame */
    gjk_rigid_motion motion; /* of the frame, which turns about its origin */
    bool is_whole;           /* the part's pose is the identity */
    /* Of the core, about the line through the frame's origin along the axis of the turn: how far
     * from it the farthest point is, and from where to where it goes along it. */
    double spread, low, high;
    gjk_shape near; /* the shape about its middle, where it is far from its own origin */
} gjk_mover;

/* A part that stands so in a frame, which starts so. Where it is far from the frame's origin and
 * the frame does not turn, the mover's frame is another one, with its origin in the middle of the
 * part. */
void gjk_mover_make(const gjk_pose *start, const gjk_placed *part, const gjk_rigid_motion *motion,
                    gjk_mover *out);

/* Returns how far from its own origin a shape reaches in any direction. */
static inline double gjk_arm_of(const gjk_shape *shape) {
    return (gjk_length3(shape->center) + shape->bounding_radius) * (1.0 + 0x1p-48);
}

/* A box of all places that the mover takes when its frame turns, but stays where it is. */
gjk_bounds gjk_mover_bounds(const gjk_mover *mover);

typedef struct gjk_meeting {
    bool hit, inside; /* inside: they overlap at the start */
    gjk_convergence convergence;
    uint32_t iterations;
    double fraction;
    /* Of a hit that is not inside: from a to b, and the contact on a. */
    gjk_vec3 normal, point;
} gjk_meeting;

/* Looks for the first contact up to the fraction `bound` of both motions. settings->at_start is not
 * regarded. At the iteration limit there is a hit, not proven, at the fraction before which there
 * is none. */
gjk_meeting gjk_advance(const gjk_mover *a, const gjk_mover *b, double bound,
                        const gjk_cast_settings *settings);

/* The bounds that everything meets which the moving shape touches on its way. */
gjk_query_bounds gjk_query_bounds_of_turning(const gjk_placed *moving,
                                             const gjk_rigid_motion *motion, double tolerance);

/* Everything that the mover may pass on its way, as a box in the frame of that pose. */
gjk_bounds gjk_swept_bounds(const gjk_mover *mover, const gjk_pose *frame);

/* A height of each point r of a cloud, less its offset, that changes with d: start + up.r + d (rate + swing.r) -
 * curve d^2 / 2, curve >= 0. */
typedef struct gjk_swinging {
    gjk_vec3 up, swing;
    double start, rate, curve;
} gjk_swinging;

/* Returns the least d >= 0 at which one of the heights is 0, 0 where one begins below; INFINITY:
 * there is none. One function for each instruction set, with the same bits. */
typedef double gjk_first_zero(const gjk_shape *cloud, const gjk_swinging *heights);
extern gjk_first_zero *const gjk_first_zero_plain, *const gjk_first_zero_avx2,
                                                       *const gjk_first_zero_avx512;

#endif
