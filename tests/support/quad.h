#ifndef TEST_QUAD_H
#define TEST_QUAD_H

/*
 * Numbers of 113 bits, for references that doubles are compared with: enough for
 * sums and products of a few doubles to be as good as exact. Only +, -, *, / come
 * from the compiler; root, sine and cosine are here, so no library is needed.
 */

#include "gjk/pose.h"
#include "gjk/vec.h"

#if __LDBL_MANT_DIG__ == 113
typedef long double quad;
#else
typedef __float128 quad;
#endif

typedef struct quad3 {
    quad x, y, z;
} quad3;

static inline quad3 quad3_of(gjk_vec3 v) {
    return (quad3){v.x, v.y, v.z};
}
static inline gjk_vec3 quad3_round(quad3 v) {
    return (gjk_vec3){(double)v.x, (double)v.y, (double)v.z};
}
static inline quad3 quad3_add(quad3 a, quad3 b) {
    return (quad3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline quad3 quad3_sub(quad3 a, quad3 b) {
    return (quad3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline quad3 quad3_scale(quad s, quad3 a) {
    return (quad3){s * a.x, s * a.y, s * a.z};
}
static inline quad quad3_dot(quad3 a, quad3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline quad3 quad3_cross(quad3 a, quad3 b) {
    return (quad3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The root of x >= 0, of any magnitude that a square of coordinates has. */
quad quad_sqrt(quad x);

/* Of |angle| <= 1e6. */
void quad_sincos(double angle, quad *sine, quad *cosine);

quad3 quad3_unit(quad3 v); /* zero stays zero */

/* point turned by angle about z, or by the quaternion, which needs no unit length. */
quad3 quad3_turn2(double angle, gjk_vec3 point);
quad3 quad3_turn3(gjk_quat q, gjk_vec3 point);

#endif
