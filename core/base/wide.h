#ifndef GJK_BASE_WIDE_H
#define GJK_BASE_WIDE_H

/* Rotations and positions in double-double, for shapes far from their own origins. */

#include "base/double_double.h"
#include "gjk/pose.h"

/* The unevaluated sum of two vectors. */
typedef struct gjk_wide3 {
    gjk_vec3 high, low;
} gjk_wide3;

static inline gjk_wide3 gjk_wide3_of(gjk_vec3 v) {
    return (gjk_wide3){v, {0, 0, 0}};
}

/* Computes sine and cosine of a finite angle within 2^-98. About half a microsecond. */
void gjk_sincos_wide(double angle, gjk_double_double *sine, gjk_double_double *cosine);

/* Returns true if the pose does not rotate: the common case for maps. */
bool gjk_pose_is_unturned(const gjk_pose *pose);

/* Returns the world position of a point of the own frame, by the exact rotation that the pose's
 * form names. Within 2^-98 of the largest coordinate involved. */
gjk_wide3 gjk_pose_apply_wide(const gjk_pose *pose, gjk_wide3 point);

/* Return a - b and a + b, rounded once if the result has few digits. */
gjk_vec3 gjk_wide3_sub(gjk_wide3 a, gjk_wide3 b);
gjk_vec3 gjk_wide3_add(gjk_wide3 a, gjk_vec3 b);

#endif
