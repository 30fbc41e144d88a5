#ifndef GJK_CAST_H
#define GJK_CAST_H

/* Shape casts: the first contact of a shape that moves along a straight line, or moves and turns,
 * with another shape. */

#include "gjk/motion.h"
#include "gjk/pair.h"

GJK_BEGIN

/* Arguments of gjk_cast: a shape and its translation. */
typedef struct gjk_sweep {
    gjk_placed moving;
    gjk_vec3 translation;
} gjk_sweep;

/* Treatment of shapes that overlap at the start. */
typedef enum gjk_at_start {
    GJK_AT_START_REPORT,  /* a hit at fraction 0 with `inside` */
    GJK_AT_START_IGNORE,  /* no hit: the moving shape may leave the other one */
    GJK_AT_START_RESOLVE, /* as REPORT, with penetration depth, normal and points */
    GJK_AT_START_LEAVING, /* as REPORT if the motion deepens the overlap, else no hit */
} gjk_at_start;

/* Settings as in gjk_detect_settings. The test at the start and the sweep each have max_iterations
 * of their own. */
typedef struct gjk_cast_settings {
    double tolerance;
    uint32_t max_iterations;
    gjk_at_start at_start;
    gjk_budget *budget; /* for shapes of many pieces; NULL: no limit */
} gjk_cast_settings;

gjk_cast_settings gjk_cast_settings_default(void);

/*
 * Result of a cast. `fraction` in [0, 1] is the part of the translation before the first contact,
 * distance = fraction * |translation|. `point` is the contact on the target; `normal` (if
 * has_normal) is the unit vector there from the target to the moving shape. Shapes that overlap at
 * the start: fraction 0, `inside`, no normal. Shapes that touch at the start are a hit only if
 * translation . normal < 0.
 *
 * With GJK_AT_START_RESOLVE, an overlap at the start also has what gjk_detect returns for the two
 * shapes (if has_depth): depth, point_a on the moving shape, and point_b, equal to `point`, on the
 * target. Moving the shape by depth * normal leaves the two touching.
 *
 * GJK_AT_START_IGNORE and LEAVING act on each pair of pieces. IGNORE skips all pairs that overlap
 * at the start. LEAVING skips only the pairs that the motion does not deepen (translation . normal
 * >= 0); the others are hits with has_normal. Both also skip the continuation of a skipped pair's
 * surface: coplanar neighbour pieces, edges between pieces of one region, and faces of a closed
 * mesh that are met from inside. All other pieces are hit as usual.
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
    bool is_resolved; /* the shapes overlap at the start, and at_start is not REPORT */
    bool has_depth;   /* depth, point_a and point_b are valid */
    double depth;
    gjk_vec3 point_a, point_b;
    uint32_t piece, moving_piece; /* in contact; GJK_NO_PIECE: convex, or encloses */
    bool has_material;
    uint32_t material; /* material of the target's piece */
    bool given_up;     /* the budget is spent: nothing else is valid */
} gjk_cast_result;

/*
 * Casts `moving` along a straight translation. Both shapes have one dimension. The translation is
 * finite, at most 4 * GJK_COORDINATE_MAX in each component, z 0 in 2D; it may be zero. Never
 * tunnels, however thin the target and long the translation. Determinism, memory and accuracy as
 * gjk_detect. Source: van den Bergen, Ray Casting against General Convex Objects, 2004.
 */
gjk_cast_result gjk_cast(const gjk_placed *moving, gjk_vec3 translation, const gjk_placed *target,
                         const gjk_cast_settings *settings);

/*
 * Casts along a motion that also turns the shape, by conservative advancement. `fraction` is a part
 * of the motion; `distance` is the way of the moving shape's own origin, about which it turns. The
 * shapes do not touch before `fraction`, however fast the rotation: a lower bound of their distance
 * certifies each step. For polytopes that approach each other the fraction of a contact is exact
 * within rounding; for curves it is early by at most the time in which the gap closes by the
 * tolerance. A pair that touches at the start is hit when it gets deeper by more than the
 * tolerance, at fraction 0 if that happens at once. At the iteration limit (max_iterations steps,
 * each a distance query) the result is an unproven hit with GJK_ITERATION_LIMIT; no contact
 * precedes its fraction. One-sided faces count from both sides. A motion without rotation gives the
 * result of gjk_cast.
 *
 *     gjk_rigid_motion motion = gjk_rigid_motion_between(3, &from.pose, &to);
 *     gjk_cast_settings settings = gjk_cast_settings_default();
 *     gjk_cast_result met = gjk_cast_turning(&from, &motion, &target, &settings);
 *     if (met.hit) printf("after %g of the motion\n", met.fraction);
 *
 * Cost: 3 to 10 steps for most contacts; for shapes of pieces that many for each pair of pieces
 * whose swept boxes meet. Sources: Mirtich 1996; Zhang, Lee, Kim, Interactive Continuous Collision
 * Detection for Non-Convex Polyhedra, 2006; deviation: second-order motion bounds.
 */
gjk_cast_result gjk_cast_turning(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                 const gjk_placed *target, const gjk_cast_settings *settings);

GJK_END

#endif
