#ifndef GJK_VEC_H
#define GJK_VEC_H

/*
 * Vectors, matrices and quaternions as plain values. Components are doubles in
 * the caller's own unit; frames are right-handed. All functions are inline,
 * pure and total; none guards against overflow (see GJK_COORDINATE_MAX).
 */

#include "gjk/base.h"

#include <math.h>

GJK_BEGIN

typedef struct gjk_vec2 {
    double x, y;
} gjk_vec2;

typedef struct gjk_vec3 {
    double x, y, z;
} gjk_vec3;

/* Row-major: the rows are r0, r1, r2, so that m v = (r0.v, r1.v, r2.v). */
typedef struct gjk_mat3 {
    gjk_vec3 r0, r1, r2;
} gjk_mat3;

/* x i + y j + z k + w. */
typedef struct gjk_quat {
    double x, y, z, w;
} gjk_quat;

static inline gjk_vec2 gjk_vec2_make(double x, double y) {
    return GJK_LITERAL(gjk_vec2){x, y};
}
static inline gjk_vec2 gjk_add2(gjk_vec2 a, gjk_vec2 b) {
    return GJK_LITERAL(gjk_vec2){a.x + b.x, a.y + b.y};
}
static inline gjk_vec2 gjk_sub2(gjk_vec2 a, gjk_vec2 b) {
    return GJK_LITERAL(gjk_vec2){a.x - b.x, a.y - b.y};
}
static inline gjk_vec2 gjk_neg2(gjk_vec2 a) {
    return GJK_LITERAL(gjk_vec2){-a.x, -a.y};
}
static inline gjk_vec2 gjk_scale2(double s, gjk_vec2 a) {
    return GJK_LITERAL(gjk_vec2){s * a.x, s * a.y};
}
static inline double gjk_dot2(gjk_vec2 a, gjk_vec2 b) {
    return a.x * b.x + a.y * b.y;
}
/* Returns the z component of a x b: positive if b lies to the left of a. */
static inline double gjk_cross2(gjk_vec2 a, gjk_vec2 b) {
    return a.x * b.y - a.y * b.x;
}
/* Returns a turned right by a quarter turn: the outward normal of edge a of a counter-clockwise
 * polygon. */
static inline gjk_vec2 gjk_right2(gjk_vec2 a) {
    return GJK_LITERAL(gjk_vec2){a.y, -a.x};
}
static inline double gjk_length2(gjk_vec2 a) {
    return sqrt(gjk_dot2(a, a));
}

static inline gjk_vec3 gjk_vec3_make(double x, double y, double z) {
    return GJK_LITERAL(gjk_vec3){x, y, z};
}
static inline gjk_vec3 gjk_add3(gjk_vec3 a, gjk_vec3 b) {
    return GJK_LITERAL(gjk_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline gjk_vec3 gjk_sub3(gjk_vec3 a, gjk_vec3 b) {
    return GJK_LITERAL(gjk_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline gjk_vec3 gjk_neg3(gjk_vec3 a) {
    return GJK_LITERAL(gjk_vec3){-a.x, -a.y, -a.z};
}
static inline gjk_vec3 gjk_scale3(double s, gjk_vec3 a) {
    return GJK_LITERAL(gjk_vec3){s * a.x, s * a.y, s * a.z};
}
static inline double gjk_dot3(gjk_vec3 a, gjk_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline gjk_vec3 gjk_cross3(gjk_vec3 a, gjk_vec3 b) {
    return GJK_LITERAL(gjk_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
                                 a.x * b.y - a.y * b.x};
}
static inline double gjk_length3(gjk_vec3 a) {
    return sqrt(gjk_dot3(a, a));
}

static inline gjk_vec2 gjk_xy(gjk_vec3 a) {
    return GJK_LITERAL(gjk_vec2){a.x, a.y};
}
static inline gjk_vec3 gjk_xy0(gjk_vec2 a) {
    return GJK_LITERAL(gjk_vec3){a.x, a.y, 0.0};
}

/* Returns a with 0 for -0 in each component. */
static inline gjk_vec3 gjk_no_minus_zero3(gjk_vec3 a) {
    return GJK_LITERAL(gjk_vec3){a.x + 0.0, a.y + 0.0, a.z + 0.0};
}

/* Returns the largest magnitude of a component. */
static inline double gjk_largest3(gjk_vec3 a) {
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z), yz = y > z ? y : z;
    return x > yz ? x : yz;
}

/* Returns a unit vector perpendicular to the unit vector u, from the axis with the least
 * component. */
static inline gjk_vec3 gjk_perpendicular3(gjk_vec3 u) {
    const double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    const bool is_x = x <= y && x <= z, is_y = !is_x && y <= z;
    const gjk_vec3 axis = {is_x ? 1.0 : 0.0, is_y ? 1.0 : 0.0, is_x || is_y ? 0.0 : 1.0};
    const gjk_vec3 n = gjk_cross3(u, axis);
    return gjk_scale3(1.0 / gjk_length3(n), n);
}

/* Returns m v. */
static inline gjk_vec3 gjk_mul3(const gjk_mat3 *m, gjk_vec3 v) {
    return GJK_LITERAL(gjk_vec3){gjk_dot3(m->r0, v), gjk_dot3(m->r1, v), gjk_dot3(m->r2, v)};
}
/* Returns the transpose of m, times v: the inverse rotation of v. */
static inline gjk_vec3 gjk_mul3_transposed(const gjk_mat3 *m, gjk_vec3 v) {
    return GJK_LITERAL(gjk_vec3){m->r0.x * v.x + m->r1.x * v.y + m->r2.x * v.z,
                                 m->r0.y * v.x + m->r1.y * v.y + m->r2.y * v.z,
                                 m->r0.z * v.x + m->r1.z * v.y + m->r2.z * v.z};
}

/* Returns the transpose of a, times b: the rotation of b in the frame of a. */
static inline gjk_mat3 gjk_relative_rotation(const gjk_mat3 *a, const gjk_mat3 *b) {
    const gjk_vec3 x = gjk_mul3_transposed(a, GJK_LITERAL(gjk_vec3){b->r0.x, b->r1.x, b->r2.x});
    const gjk_vec3 y = gjk_mul3_transposed(a, GJK_LITERAL(gjk_vec3){b->r0.y, b->r1.y, b->r2.y});
    const gjk_vec3 z = gjk_mul3_transposed(a, GJK_LITERAL(gjk_vec3){b->r0.z, b->r1.z, b->r2.z});
    return GJK_LITERAL(gjk_mat3){{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

static inline gjk_mat3 gjk_mat3_identity(void) {
    return GJK_LITERAL(gjk_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

/* Returns true if two matrices are equal, entry by entry. */
static inline bool gjk_same_rotation(const gjk_mat3 *a, const gjk_mat3 *b) {
    return a->r0.x == b->r0.x && a->r0.y == b->r0.y && a->r0.z == b->r0.z && a->r1.x == b->r1.x &&
           a->r1.y == b->r1.y && a->r1.z == b->r1.z && a->r2.x == b->r2.x && a->r2.y == b->r2.y &&
           a->r2.z == b->r2.z;
}

GJK_END

#endif
