#ifndef GJK_CAST_H
#define GJK_CAST_H

/* Sweeping a shape: where along a straight translation, or a motion that turns too, does it first
 * touch another? */

#include "gjk/motion.h"
#include "gjk/pair.h"

GJK_BEGIN

/* A moving shape: see gjk_cast. */
typedef struct gjk_sweep {
    gjk_placed moving;
    gjk_vec3 translation;
} gjk_sweep;

/* Treatment of shapes that overlap at the start. */
typedef enum gjk_at_start {
    GJK_AT_START_REPORT,  /* a hit at fraction 0, inside */
    GJK_AT_START_IGNORE,  /* no hit: the moving shape is on its way out */
    GJK_AT_START_RESOLVE, /* as REPORT, with the depth and which way is out */
    GJK_AT_START_LEAVING, /* a hit at fraction 0, inside, where the motion drives the two deeper */
} gjk_at_start;

/* As in gjk_detect_settings; the start and the sweep count their iterations each. */
typedef struct gjk_cast_settings {
    double tolerance;
    uint32_t max_iterations;
    gjk_at_start at_start;
    gjk_budget *budget; /* of shapes of many pieces; NULL: endless */
} gjk_cast_settings;

gjk_cast_settings gjk_cast_settings_default(void);

/*
 * fraction in [0, 1] of the translation at first contact, distance = fraction * |translation|,
 * point the contact on the target, normal the unit direction there from the target to the moving
 * shape (has_normal). Already overlapping at the start: fraction 0 and inside, no normal. Touching
 * at the start is a hit only when translation . normal < 0.
 *
 * With GJK_AT_START_RESOLVE an overlap has what gjk_detect tells of the two (has_depth): depth,
 * point_a on the moving shape and point_b, which is `point`, on the target; moving the shape by
 * depth * normal leaves the two touching.
 *
 * GJK_AT_START_IGNORE and LEAVING judge pairs of pieces: IGNORE passes over those that overlap at
 * the start, LEAVING over those of them that the motion does not drive deeper (translation . normal
 * >= 0; the others are hits with has_normal). Both also pass over what continues the surface of such
 * a pair: coplanar pieces next to it, edges between pieces of one region, and faces of a closed mesh
 * that are met from inside. All else of the two shapes is hit as usual.
 */
typedef struct gjk_cast_result {
    bool hit;
    bool inside;
    bool has_normal;
    gjk_convergence convergence;
    uint32_t iterations;
    double fraction;
    double distance;
    gjk_vec3 point;
    gjk_vec3 normal;
    bool is_resolved; /* it overlaps at the start, and that is asked for more than reported */
    bool has_depth;   /* depth, point_a and point_b are told */
    double depth;
    gjk_vec3 point_a, point_b;
    uint32_t piece, moving_piece; /* that meet; GJK_NO_PIECE: that shape is convex, or encloses */
    bool has_material;
    uint32_t material; /* of the target's piece */
    bool given_up;     /* the budget is spent: nothing else is told */
} gjk_cast_result;

/*
 * Both shapes of one dimension; the translation finite, at most 4 * GJK_COORDINATE_MAX
 * in each component, z 0 in 2D; zero is allowed. Never passes through,
 * however thin the target and long the way. Same promises as gjk_detect.
 * Source: van den Bergen, Ray Casting against General Convex Objects, 2004.
 */
gjk_cast_result gjk_cast(const gjk_placed *moving, gjk_vec3 translation, const gjk_placed *target,
                         const gjk_cast_settings *settings);

/*
 * The same along a motion that turns: fraction is of the motion, distance of the way of the moving
 * shape's own origin, about which it turns. Before `fraction` the two touch nowhere, however fast
 * it spins: every step is certified by a lower bound of their distance. The fraction of a contact
 * is exact to rounding for polytopes that close in on each other, and too early by no more than the
 * time that takes them through the tolerance for curves. A pair that touches at the start is hit
 * when it gets deeper by more than the tolerance; fraction is 0 where it does so at once. At the
 * iteration limit (max_iterations steps, each with a query of the pair) there is a hit of that
 * convergence, which is not proven, at a fraction before which there is none. Faces that have one
 * side only count from both. Where the motion does not turn it is gjk_cast.
 *
 *     gjk_rigid_motion motion = gjk_rigid_motion_between(3, &from.pose, &to);
 *     gjk_cast_settings settings = gjk_cast_settings_default();
 *     gjk_cast_result met = gjk_cast_turning(&from, &motion, &target, &settings);
 *     if (met.hit) printf("after %g of the motion\n", met.fraction);
 *
 * Cost: 3 to 10 steps for most contacts. For shapes of pieces that for each pair of pieces whose
 * boxes, swept and turned, meet. Sources: Mirtich 1996; Zhang, Lee, Kim, Interactive Continuous
 * Collision Detection for Non-Convex Polyhedra, 2006, with bounds of second order.
 */
gjk_cast_result gjk_cast_turning(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                 const gjk_placed *target, const gjk_cast_settings *settings);

GJK_END

#endif
