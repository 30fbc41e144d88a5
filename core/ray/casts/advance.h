#ifndef GJK_RAY_CASTS_ADVANCE_H
#define GJK_RAY_CASTS_ADVANCE_H

/*
 * First contact of two convex shapes that both translate and rotate, by conservative advancement:
 * Mirtich, Impulse-based Dynamic Simulation, 1996; Zhang, Lee, Kim, Interactive Continuous
 * Collision Detection for Non-Convex Polyhedra, 2006.
 */

#include "gjk/cast.h"
#include "gjk/motion.h"
#include "ray/query_bounds.h"

/* A convex shape, alone or a piece of a whole, in a moving frame. Borrows the shape, unless it is
 * far from its own origin. Must not move in memory. */
typedef struct gjk_mover {
    gjk_pose start;          /* pose of the frame at the start */
    gjk_vec3 rest;           /* low part of the start position, in double-double with start */
    gjk_placed part;         /* the shape and its pose in the frame */
    gjk_rigid_motion motion; /* motion of the frame, which rotates about its origin */
    bool is_whole;           /* the part's pose is the identity */
    /* Extent of the core about the axis of rotation: largest distance from the axis, and lowest and
     * highest coordinate along it, from the frame's origin. */
    double spread, low, high;
    gjk_shape near; /* copy of a shape that is far from its origin, about its own middle */
} gjk_mover;

/* Makes a mover of a part with a pose in a frame, whose pose at the start is *start. If the frame
 * does not rotate and the part is far from the frame's origin, the mover uses another frame, with
 * its origin in the middle of the part. */
void gjk_mover_make(const gjk_pose *start, const gjk_placed *part, const gjk_rigid_motion *motion,
                    gjk_mover *out);

/* Returns a bound of the distance of a shape's points from its own origin. */
static inline double gjk_reach_from_origin(const gjk_shape *shape) {
    return (gjk_length3(shape->center) + shape->bounding_radius) * (1.0 + 0x1p-48);
}

/* Returns a box of all points that the mover reaches when its frame rotates in place. */
gjk_bounds gjk_mover_bounds(const gjk_mover *mover);

typedef struct gjk_meeting {
    bool hit, inside; /* inside: the shapes overlap at the start */
    gjk_convergence convergence;
    uint32_t iterations;
    double fraction;
    gjk_vec3 normal, point; /* of a hit without `inside`: from a to b; the contact on a */
} gjk_meeting;

/* Finds the first contact of both motions up to the fraction `until`, exclusive. Ends without one
 * as soon as none is left up to `bound`, inclusive. The length of a step, and so the last digits of
 * a contact, depend on `until`; they do not depend on `bound`. Ignores settings->at_start. At the
 * iteration limit it returns an unproven hit at the fraction up to which no contact is certain. */
gjk_meeting gjk_advance(const gjk_mover *a, const gjk_mover *b, double until, double bound,
                        const gjk_cast_settings *settings);

/* Returns bounds that meet the box of every shape that the moving shape touches. */
gjk_query_bounds gjk_query_bounds_of_turning(const gjk_placed *moving,
                                             const gjk_rigid_motion *motion, double tolerance);

/* Returns a box, in the frame of that pose, of all points that the mover may reach. */
gjk_bounds gjk_swept_bounds(const gjk_mover *mover, const gjk_pose *frame);

/* Heights of the points r of a cloud as functions of d, r without the cloud's offset:
 * start + up.r + d (rate + swing.r) - curve d^2 / 2, with curve >= 0. */
typedef struct gjk_swinging {
    gjk_vec3 up, swing;
    double start, rate, curve;
} gjk_swinging;

/* Returns the least d >= 0 at which one of the heights is 0; 0 if one is negative at d = 0;
 * INFINITY if there is none. One function for each instruction set, with the same bits. */
typedef double gjk_first_zero(const gjk_shape *cloud, const gjk_swinging *heights);
extern gjk_first_zero *const gjk_first_zero_plain, *const gjk_first_zero_avx2,
                                                       *const gjk_first_zero_avx512;

#endif
