#ifndef GJK_POSE_H
#define GJK_POSE_H

/* Where a shape stands: x_world = rotation * x_own + position. One type serves both dimensions: in
 * 2D position.z is 0 and the rotation turns about z. */

#include "gjk/base.h"
#include "gjk/vec.h"

GJK_BEGIN

/* A rotation as it was given: an angle in radians (2D), or a quaternion within 1e-3 of unit length
 * (3D). Kept because rewinding interpolates it, and a matrix loses full turns. */
typedef union gjk_rotation {
    double angle;
    gjk_quat orientation;
} gjk_rotation;

/* Exact form of a pose, beyond the digits of its position and rotation. */
typedef enum gjk_pose_form {
    GJK_POSE_PLAIN,      /* nothing */
    GJK_POSE_ANGLE,      /* turn.angle: the rotation is that of its exact sine and cosine */
    GJK_POSE_QUATERNION, /* turn.orientation: ... of the exactly normalised quaternion */
    GJK_POSE_REST,       /* rest: the position is position + rest, of twice the digits */
} gjk_pose_form;

/* `rotation` has its entries rounded. A shape far from its own origin needs more of their digits,
 * and takes them from what they are made of. All of a 2D rotation is in its first row, the cosine
 * and the negated sine: a query in 2D reads no further. */
typedef struct gjk_pose {
    gjk_vec3 position;
    gjk_pose_form form;
    gjk_mat3 rotation;
    union {
        gjk_rotation turn;
        gjk_vec3 rest;
    };
} gjk_pose;

/* No translation, no rotation. */
gjk_pose gjk_pose_identity(void);

/* Turns *pose as `from` is turned; the position stays. */
static inline void gjk_pose_turn_as(gjk_pose *pose, const gjk_pose *from) {
    const gjk_vec3 position = pose->position;
    *pose = *from;
    pose->position = position;
}

/* A 2D pose turned by angle radians, counter-clockwise. Any finite angle; sine and cosine come from
 * gjk_sincos, within 1 ulp and the same bits everywhere. NOT_FINITE; OUT_OF_RANGE past
 * GJK_COORDINATE_MAX (position). */
gjk_status gjk_pose_make2(gjk_vec2 position, double angle, gjk_pose *out) GJK_MUST_USE;

/* A 3D pose. The quaternion's length must be within 1e-3 of 1 and is normalised for the rotation.
 * NOT_FINITE; OUT_OF_RANGE; BAD_ORIENTATION. */
gjk_status gjk_pose_make3(gjk_vec3 position, gjk_quat orientation, gjk_pose *out) GJK_MUST_USE;

/* The pose of what stands at `inner` in the frame of `outer`: apply(outer, apply(inner, x)). */
gjk_pose gjk_pose_compose(const gjk_pose *outer, const gjk_pose *inner);

/* The pose of b seen from the frame of a. */
gjk_pose gjk_pose_relative(const gjk_pose *a, const gjk_pose *b);

/* rotation * point + position */
gjk_vec3 gjk_pose_apply(const gjk_pose *pose, gjk_vec3 point);

/*
 * Sine and cosine of a finite angle in radians by a fixed sequence of additions
 * and multiplications, so that the bits do not depend on libm, the compiler or
 * the processor. Within 1 ulp of the truth for |angle| <= 1e5 and beyond (argument
 * reduction is exact enough for every finite double).
 */
void gjk_sincos(double angle, double *sine, double *cosine);

GJK_END

#endif
