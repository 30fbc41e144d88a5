#ifndef GJK_POSE_H
#define GJK_POSE_H

/* Poses: x_world = rotation * x_own + position. One type serves both dimensions: in 2D position.z
 * is 0 and the rotation is about z. */

#include "gjk/base.h"
#include "gjk/vec.h"

GJK_BEGIN

/* A rotation as given: an angle in radians (2D), or a quaternion within 1e-3 of unit length (3D).
 * Kept because interpolation needs it: a matrix loses full turns. */
typedef union gjk_rotation {
    double angle;
    gjk_quat orientation;
} gjk_rotation;

/* Exact form of a pose: what it holds beyond the rounded position and matrix. */
typedef enum gjk_pose_form {
    GJK_POSE_PLAIN,      /* nothing */
    GJK_POSE_ANGLE,      /* turn.angle: the rotation has exactly its sine and cosine */
    GJK_POSE_QUATERNION, /* turn.orientation: the rotation of the exactly normalised quaternion */
    GJK_POSE_REST,       /* rest: the position is position + rest, a double-double */
} gjk_pose_form;

/* `rotation` has rounded entries. For a shape far from its own origin they lack digits, so the
 * exact form is used instead. The first row holds all of a 2D rotation, the cosine and the negated
 * sine: 2D queries read only that row. */
typedef struct gjk_pose {
    gjk_vec3 position;
    gjk_pose_form form;
    gjk_mat3 rotation;
    union {
        gjk_rotation turn;
        gjk_vec3 rest;
    };
} gjk_pose;

/* Returns the pose without translation and rotation. */
gjk_pose gjk_pose_identity(void);

/* Gives *pose the rotation of `from`; the position stays. */
static inline void gjk_pose_turn_as(gjk_pose *pose, const gjk_pose *from) {
    const gjk_vec3 position = pose->position;
    *pose = *from;
    pose->position = position;
}

/* Makes a 2D pose turned by `angle` radians counter-clockwise, any finite angle. Sine and cosine
 * come from gjk_sincos: within 1 ulp, with the same bits everywhere. NOT_FINITE; OUT_OF_RANGE past
 * GJK_COORDINATE_MAX (position). */
gjk_status gjk_pose_make2(gjk_vec2 position, double angle, gjk_pose *out) GJK_MUST_USE;

/* Makes a 3D pose. The quaternion's length must be within 1e-3 of 1; it is normalised for the
 * rotation. NOT_FINITE; OUT_OF_RANGE; BAD_ORIENTATION. */
gjk_status gjk_pose_make3(gjk_vec3 position, gjk_quat orientation, gjk_pose *out) GJK_MUST_USE;

/* Returns the product of two poses: apply(outer, apply(inner, x)). */
gjk_pose gjk_pose_compose(const gjk_pose *outer, const gjk_pose *inner);

/* Returns the pose of b in the frame of a. */
gjk_pose gjk_pose_relative(const gjk_pose *a, const gjk_pose *b);

/* Returns rotation * point + position. */
gjk_vec3 gjk_pose_apply(const gjk_pose *pose, gjk_vec3 point);

/*
 * Computes sine and cosine of a finite angle in radians by a fixed sequence of additions and
 * multiplications, so that the bits do not depend on libm, the compiler or the processor. Error
 * below 1 ulp for every finite angle.
 */
void gjk_sincos(double angle, double *sine, double *cosine);

GJK_END

#endif
