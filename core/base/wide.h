#ifndef GJK_BASE_WIDE_H
#define GJK_BASE_WIDE_H

/* Rotations and places with twice the digits, for shapes that are far from their own origins. */

#include "base/double_double.h"
#include "gjk/pose.h"

/* The unevaluated sum of two vectors. */
typedef struct gjk_wide3 {
    gjk_vec3 high, low;
} gjk_wide3;

static inline gjk_wide3 gjk_wide3_of(gjk_vec3 v) {
    return (gjk_wide3){v, {0, 0, 0}};
}

/* Sine and cosine of a finite angle within 2^-98. About half a microsecond. */
void gjk_sincos_wide(double angle, gjk_double_double *sine, gjk_double_double *cosine);

/* Returns true if the pose does not turn: the common case of land maps. */
bool gjk_pose_is_unturned(const gjk_pose *pose);

/* Returns the place in the world of a point of the own frame, by the exact rotation that the form
 * of the pose names. Within 2^-98 of the largest coordinate met. */
gjk_wide3 gjk_pose_apply_wide(const gjk_pose *pose, gjk_wide3 point);

/* a - b, and a + b, rounded once where the result has few digits. */
gjk_vec3 gjk_wide3_sub(gjk_wide3 a, gjk_wide3 b);
gjk_vec3 gjk_wide3_add(gjk_wide3 a, gjk_vec3 b);

#endif
