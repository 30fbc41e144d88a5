/*
 * Interpolation of numbers and rotations.
 *
 * Numbers: std::lerp of C++20 (P0811R3), which is exact at both ends and monotone. Quaternions:
 * slerp (Shoemake, Animating Rotation with Quaternion Curves, 1985). The angle between two
 * quaternions is computed from the lengths of their difference and their sum, which loses no
 * digits when they are nearly equal or opposite; dividing by the length replaces dividing by the
 * sine.
 */

#include "base/angle.h"

#define PI 0x1.921fb54442d18p+1

/* The error that rounding may leave in a half turn: in 2D relative to the angles, in 3D in the
 * cosine of half the angle. The cap is for angles beyond about 1e9, of which it says nothing. */
#define HALF_TURN_ROUNDING2 0x1p-49
#define HALF_TURN_ROUNDING3 0x1p-48
#define HALF_TURN_ROUNDING_MAX 0x1p-20

double gjk_between(double a, double b, double t) {
    if ((a <= 0.0 && b >= 0.0) || (a >= 0.0 && b <= 0.0)) {
        return t * b + (1.0 - t) * a;
    }
    if (t == 1.0) {
        return b;
    }
    double x = a + t * (b - a);
    return (x > b) == (b > a) ? b : x;
}

/* Returns the error that rounding may leave in a half turn between angles of that size. */
static double slack_of(double from, double to) {
    const double largest = fmax(PI, fmax(fabs(from), fabs(to)));
    return fmin(HALF_TURN_ROUNDING2 * largest, HALF_TURN_ROUNDING_MAX);
}

/* Returns true if the way from one angle to the other is their difference. */
static bool is_short(double from, double to) {
    return fabs(to - from) < PI - slack_of(from, to);
}

double gjk_turn2(double from, double to) {
    if (is_short(from, to)) {
        return to - from;
    }
    double s0, c0, s1, c1;
    gjk_sincos(from, &s0, &c0);
    gjk_sincos(to, &s1, &c1);
    if (s0 == s1 && c0 == c1) {
        return 0.0;
    }
    const double way = gjk_atan2(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1);
    return way <= slack_of(from, to) - PI ? way + 2 * PI : way;
}

double gjk_slerp2(double from, double to, double t) {
    if (is_short(from, to)) {
        return gjk_between(from, to, t);
    }
    const double way = gjk_turn2(from, to);
    if (way == 0.0) {
        return from;
    }
    double s0, c0;
    gjk_sincos(from, &s0, &c0);
    const double start = fabs(from) <= PI ? from : gjk_atan2(s0, c0);
    return start + t * way;
}

static gjk_quat scale4(double s, gjk_quat q) {
    return (gjk_quat){s * q.x, s * q.y, s * q.z, s * q.w};
}

static gjk_quat add4(gjk_quat p, gjk_quat q) {
    return (gjk_quat){p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};
}

static double dot4(gjk_quat p, gjk_quat q) {
    return (p.x * q.x + p.y * q.y) + (p.z * q.z + p.w * q.w);
}

static gjk_quat unit4(gjk_quat q) {
    double length = sqrt(dot4(q, q));
    return (gjk_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* The axis of the turn from p to q: the vector part of q times the conjugate of p. */
static gjk_vec3 axis_between(gjk_quat p, gjk_quat q) {
    gjk_vec3 u = {p.x, p.y, p.z}, v = {q.x, q.y, q.z};
    gjk_vec3 straight = gjk_sub3(gjk_scale3(p.w, v), gjk_scale3(q.w, u));
    return gjk_add3(straight, gjk_cross3(u, v));
}

/* Returns true if the first component of (x, y, z) that is not 0 is positive. */
static bool is_positive(gjk_vec3 axis) {
    if (fabs(axis.x) > HALF_TURN_ROUNDING3) {
        return axis.x > 0.0;
    }
    return fabs(axis.y) > HALF_TURN_ROUNDING3 ? axis.y > 0.0 : axis.z > 0.0;
}

/* q or -q, which are the same rotation: the one nearer to p. */
static gjk_quat nearer_of(gjk_quat p, gjk_quat q) {
    double cosine = dot4(p, q);
    bool half_turn = fabs(cosine) <= HALF_TURN_ROUNDING3;
    bool keep = half_turn ? is_positive(axis_between(p, q)) : cosine > 0.0;
    return keep ? q : scale4(-1.0, q);
}

gjk_quat gjk_turn3(gjk_quat from, gjk_quat to) {
    const gjk_quat p = unit4(from), q = nearer_of(p, unit4(to));
    const gjk_vec3 axis = axis_between(p, q);
    return (gjk_quat){axis.x, axis.y, axis.z, dot4(p, q)};
}

gjk_quat gjk_slerp3(gjk_quat from, gjk_quat to, double t) {
    gjk_quat p = unit4(from);
    gjk_quat q = nearer_of(p, unit4(to));
    gjk_quat apart = add4(q, scale4(-1.0, p)), along = add4(q, p);
    double angle = 2.0 * gjk_atan2(sqrt(dot4(apart, apart)), sqrt(dot4(along, along)));
    double back, forth, unused;
    gjk_sincos((1.0 - t) * angle, &back, &unused);
    gjk_sincos(t * angle, &forth, &unused);
    if (angle == 0.0 || forth == 0.0) {
        return from;
    }
    return unit4(add4(scale4(back, p), scale4(forth, q)));
}
