#ifndef GJK_CAST_H
#define GJK_CAST_H

/*
 * Sweeping a shape: where along a straight translation, without turning, does it
 * first touch another?
 */

#include "gjk/pair.h"

/* A moving shape: see gjk_cast. */
typedef struct gjk_sweep {
    gjk_placed moving;
    gjk_vec3 translation;
} gjk_sweep;

/* As in gjk_detect_settings; the start and the sweep count their iterations each. */
typedef struct gjk_cast_settings {
    double tolerance;
    uint32_t max_iterations;
    const gjk_patience *patience; /* of shapes of many pieces; NULL: endless */
} gjk_cast_settings;

gjk_cast_settings gjk_cast_settings_default(void);

/*
 * fraction in [0, 1] of the translation at first contact, distance = fraction *
 * |translation|, point the contact on the target, normal the unit direction there
 * from the target to the moving shape (has_normal). Already overlapping at the
 * start: fraction 0 and inside, no normal. Touching at the start is a hit only when
 * translation . normal < 0.
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
    uint32_t piece, moving_piece; /* that meet; GJK_NO_PIECE: that shape is convex, or encloses */
    bool has_material;
    uint32_t material; /* of the target's piece */
    bool given_up;     /* patience has ended: nothing else is told */
} gjk_cast_result;

/*
 * Both shapes of one dimension; the translation finite, at most GJK_COORDINATE_MAX in
 * each component (asserted), z 0 in 2D; zero is allowed. Never passes through,
 * however thin the target and long the way. Same promises as gjk_detect.
 * Source: van den Bergen, Ray Casting against General Convex Objects, 2004.
 */
gjk_cast_result gjk_cast(const gjk_placed *moving, gjk_vec3 translation, const gjk_placed *target,
                         const gjk_cast_settings *settings);

#endif
