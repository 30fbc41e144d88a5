/*
 * Angles with the same bits on every machine: sine and cosine, the angle of a vector, and
 * interpolation.
 *
 * Sine and cosine: the angle is reduced to [-pi/4, pi/4] by an integer multiplication with 2/pi
 * that keeps only the bits that matter (Payne and Hanek, Radian Reduction for Trigonometric
 * Functions, 1983), at every magnitude: a single path has no thresholds at which the error could
 * jump. The reduced angle is a double-double (106 bits); its Taylor series is summed in a fixed
 * order. The error is below 0.65 units in the last place.
 */

#include "gjk/pose.h"

#include "base/angle.h"
#include "base/double_double.h"
#include "base/wide.h"

__extension__ typedef unsigned __int128 uint128;

/* 2/pi in binary. Word 0 is the integer part; bit 63 of word 1 counts 1/2. */
static const uint64_t two_over_pi[20] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/* pi/2 as a double-double; error below 2^-108. */
static const gjk_double_double half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/*
 * Reduces an angle >= 2^-9: angle = result + quadrant * pi/2 (mod 2 pi), |result| <= pi/4.
 *
 * The angle is m 2^e with a 53-bit integer m. Bits of 2/pi with weight 2^(2 - e) and more only add
 * multiples of 4 to angle * 2/pi; the 192 bits below them leave an error of 2^-137, and no double
 * is closer than 2^-62 to a multiple of pi/2.
 */
static gjk_double_double reduce_angle(double angle, unsigned *quadrant) {
    int exponent;
    uint64_t m = (uint64_t)ldexp(frexp(angle, &exponent), 53);
    int skip = exponent - 53 + 62;
    const uint64_t *table = two_over_pi + skip / 64;
    int shift = skip % 64;

    uint64_t window[3];
    for (int i = 0; i < 3; i++) {
        window[i] = shift == 0 ? table[i] : table[i] << shift | table[i + 1] >> (64 - shift);
    }
    /* m * window mod 2^192, read as a number in [0, 4). */
    uint128 product = (uint128)m * window[2];
    uint64_t w2 = (uint64_t)product;
    product = (uint128)m * window[1] + (product >> 64);
    uint64_t w1 = (uint64_t)product;
    uint64_t w0 = m * window[0] + (uint64_t)(product >> 64);

    *quadrant = (unsigned)(((w0 >> 61) + 1) >> 1) & 3;
    w0 = w0 << 2 | w1 >> 62;
    w1 = w1 << 2 | w2 >> 62;
    w2 <<= 2;
    bool negative = w0 >> 63 != 0; /* the fraction is at least 1/2: round up */
    if (negative) {
        w2 = ~w2 + 1;
        w1 = ~w1 + (w2 == 0);
        w0 = ~w0 + (w2 == 0 && w1 == 0);
    }
    /* The leading 106 bits as two doubles. w0 > 0 by the bound 2^-62 above. */
    int zeros = __builtin_clzll(w0);
    uint64_t top = zeros == 0 ? w0 : w0 << zeros | w1 >> (64 - zeros);
    uint64_t next = zeros == 0 ? w1 : w1 << zeros | w2 >> (64 - zeros);
    double high = ldexp((double)(top >> 11), -53 - zeros);
    double low = ldexp((double)((top & 0x7ff) << 42 | next >> 22), -106 - zeros);

    gjk_double_double rest = gjk_two_product(high, half_pi.high);
    double tail = rest.low + (high * half_pi.low + low * half_pi.high);
    high = rest.high + tail;
    low = tail - (high - rest.high);
    return negative ? (gjk_double_double){-high, -low} : (gjk_double_double){high, low};
}

/* Computes sine and cosine of r, in [-pi/4, pi/4], by Taylor series truncated below 2^-63. */
static void series(gjk_double_double r, double *sine, double *cosine) {
    gjk_double_double square = gjk_two_product(r.high, r.high);
    double z = square.high;

    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    gjk_double_double cube = gjk_two_product(r.high, z);
    double small = cube.high * (z * s) - (cube.low + r.high * square.low) / 6.0;
    *sine = r.high + (small + r.low * (1.0 - 0.5 * z) - cube.high / 6.0);

    double c = -1.0 / 6402373705728000.0;
    c = c * z + 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    double half = 0.5 * z;
    double head = 1.0 - half;
    double error = (1.0 - head) - half; /* rounding error of head, exact */
    *cosine = head + (error + (z * z * c - (0.5 * square.low + r.high * r.low)));
}

/* Computes sine and cosine of r in double-double: of r / 4 by Taylor series, then twice by the
 * double-angle formulas. |r / 4| <= 0.2: the truncated terms are below 2^-112. */
static void wide_series(gjk_double_double r, gjk_double_double *sine, gjk_double_double *cosine) {
    const gjk_double_double one = {1.0, 0.0}, x = {0.25 * r.high, 0.25 * r.low};
    const gjk_double_double square = gjk_dd_mul(x, x);
    gjk_double_double s = one, versed = one; /* versed: 2 (1 - cos x) / x^2 */
    for (int n = 18; n >= 2; n -= 2) {
        /* 1 / (n (n + 1)) and 1 / ((n + 1) (n + 2)), whose denominators are exact doubles */
        s = gjk_dd_add(one, gjk_dd_neg(gjk_dd_divide(gjk_dd_mul(square, s), n * (n + 1.0))));
        versed = gjk_dd_add(one, gjk_dd_neg(gjk_dd_divide(gjk_dd_mul(square, versed),
                                                          (n + 1.0) * (n + 2.0))));
    }
    s = gjk_dd_mul(x, s);
    gjk_double_double v = gjk_dd_mul(square, versed); /* 2 (1 - cos x) */
    v = (gjk_double_double){0.5 * v.high, 0.5 * v.low};
    for (int i = 0; i < 2; i++) { /* sin 2x = 2 sin x cos x, 1 - cos 2x = 2 sin^2 x */
        const gjk_double_double c = gjk_dd_add(one, gjk_dd_neg(v)), ss = gjk_dd_mul(s, s);
        s = gjk_dd_mul((gjk_double_double){2.0 * s.high, 2.0 * s.low}, c);
        v = (gjk_double_double){2.0 * ss.high, 2.0 * ss.low};
    }
    *sine = s;
    *cosine = gjk_dd_add(one, gjk_dd_neg(v));
}

void gjk_sincos_wide(double angle, gjk_double_double *sine, gjk_double_double *cosine) {
    GJK_ASSERT(isfinite(angle));
    const double magnitude = fabs(angle);
    unsigned quadrant = 0;
    gjk_double_double rest = {magnitude, 0.0}, s, c;
    if (magnitude > half_pi.high / 2) {
        rest = reduce_angle(magnitude, &quadrant);
    }
    wide_series(rest, &s, &c);
    gjk_double_double turned_sine = quadrant % 2 == 0 ? s : c;
    const gjk_double_double turned_cosine = quadrant % 2 == 0 ? c : s;
    if (quadrant >= 2) {
        turned_sine = gjk_dd_neg(turned_sine);
    }
    *sine = angle < 0 ? gjk_dd_neg(turned_sine) : turned_sine;
    *cosine = quadrant == 1 || quadrant == 2 ? gjk_dd_neg(turned_cosine) : turned_cosine;
}

void gjk_sincos(double angle, double *sine, double *cosine) {
    GJK_ASSERT(isfinite(angle));
    double magnitude = fabs(angle);
    if (magnitude < 0x1p-27) {
        *sine = angle; /* the next terms are below half a unit in the last place */
        *cosine = 1.0;
        return;
    }
    unsigned quadrant = 0;
    gjk_double_double rest = {magnitude, 0.0};
    if (magnitude > half_pi.high / 2) {
        rest = reduce_angle(magnitude, &quadrant);
    }
    double s, c;
    series(rest, &s, &c);
    double turned_sine = quadrant % 2 == 0 ? s : c;
    double turned_cosine = quadrant % 2 == 0 ? c : s;
    if (quadrant >= 2) {
        turned_sine = -turned_sine;
    }
    *sine = angle < 0 ? -turned_sine : turned_sine;
    *cosine = quadrant == 1 || quadrant == 2 ? -turned_cosine : turned_cosine;
}

/*
 * The angle of a vector (atan2), with the same bits on every machine.
 *
 * A polynomial gives the angle within 1.2e-5 (Hastings, Approximations for Digital Computers, 1955,
 * sheet 10). The vector is turned back by that angle with our own sine and cosine; the remaining
 * angle is so small that two terms of the arctangent's series suffice.
 */

/* Returns the angle of (large, small), 0 < small <= large, as an approximation and its
 * correction. */
static gjk_double_double angle_below_diagonal(double small, double large) {
    double z = small / large, square = z * z;
    double sum = -0.0851330 + square * 0.0208351;
    sum = 0.1801410 + square * sum;
    sum = -0.3302995 + square * sum;
    double guess = z * (0.9998660 + square * sum), s, c;
    gjk_sincos(guess, &s, &c);
    /* small * c - large * s, rounded about once */
    gjk_double_double p = gjk_two_product(small, c), q = gjk_two_product(large, s);
    double rest = ((p.high - q.high) + (p.low - q.low)) / (large * c + small * s);
    return (gjk_double_double){guess, rest - rest * rest * rest / 3.0};
}

/* Returns quarters * pi/2 - angle; quarters is 1 or 2. */
static gjk_double_double count_back_from(double quarters, gjk_double_double angle) {
    gjk_double_double rest = gjk_two_difference(quarters * half_pi.high, angle.high);
    return (gjk_double_double){rest.high, rest.low + (quarters * half_pi.low - angle.low)};
}

double gjk_atan2(double y, double x) {
    GJK_ASSERT(isfinite(x) && isfinite(y));
    double width = fabs(x), height = fabs(y);
    double small = fmin(width, height), large = fmax(width, height);
    gjk_double_double angle = {0.0, 0.0};
    if (small > 0.0) {
        /* Only the ratio matters: after scaling no product overflows or underflows. */
        int exponent;
        (void)frexp(large, &exponent);
        angle = angle_below_diagonal(ldexp(small, -exponent), ldexp(large, -exponent));
    }
    if (height > width) {
        angle = count_back_from(1, angle);
    }
    if (signbit(x)) {
        angle = count_back_from(2, angle);
    }
    return copysign(angle.high + angle.low, y);
}

/*
 * Interpolation of numbers and rotations.
 *
 * Numbers: std::lerp of C++20 (P0811R3), exact at both ends and monotone. Quaternions: slerp
 * (Shoemake, Animating Rotation with Quaternion Curves, 1985), except that the angle between two
 * quaternions comes from the lengths of their difference and sum, which loses no digits if they are
 * nearly equal or opposite, and that a division by the length replaces the one by the sine.
 */

#define PI 0x1.921fb54442d18p+1

/* Tolerance for recognising a half turn in spite of rounding: in 2D relative to the angles, in 3D
 * of the cosine of half the angle. The maximum applies to angles beyond about 1e9, where rounding
 * hides the half turn. */
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

/* Returns the tolerance for a half turn between these angles. */
static double half_turn_slack(double from, double to) {
    const double largest = fmax(PI, fmax(fabs(from), fabs(to)));
    return fmin(HALF_TURN_ROUNDING2 * largest, HALF_TURN_ROUNDING_MAX);
}

/* Returns true if the shortest way between two angles is their difference. */
static bool is_short(double from, double to) {
    return fabs(to - from) < PI - half_turn_slack(from, to);
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
    return way <= half_turn_slack(from, to) - PI ? way + 2 * PI : way;
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

/* Returns the axis of the rotation from p to q: the vector part of q times the conjugate of p. */
static gjk_vec3 axis_between(gjk_quat p, gjk_quat q) {
    gjk_vec3 u = {p.x, p.y, p.z}, v = {q.x, q.y, q.z};
    gjk_vec3 straight = gjk_sub3(gjk_scale3(p.w, v), gjk_scale3(q.w, u));
    return gjk_add3(straight, gjk_cross3(u, v));
}

/* Returns true if the first component that is not 0 within rounding is positive. */
static bool is_positive(gjk_vec3 axis) {
    if (fabs(axis.x) > HALF_TURN_ROUNDING3) {
        return axis.x > 0.0;
    }
    return fabs(axis.y) > HALF_TURN_ROUNDING3 ? axis.y > 0.0 : axis.z > 0.0;
}

/* Returns q or -q, which are the same rotation: the one nearer to p; for a half turn the positive
 * one. */
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

/* Returns a quaternion of the rotation, of unit length within rounding, from the largest of its four
 * components (Shepperd, Quaternion from Rotation Matrix, 1978). */
static gjk_quat quat_of_matrix(const gjk_mat3 *m) {
    const double x = m->r0.x, y = m->r1.y, z = m->r2.z, trace = x + y + z;
    gjk_quat q;
    if (trace >= x && trace >= y && trace >= z) {
        q = (gjk_quat){m->r2.y - m->r1.z, m->r0.z - m->r2.x, m->r1.x - m->r0.y, 1.0 + trace};
    } else if (x >= y && x >= z) {
        q = (gjk_quat){1.0 + x - y - z, m->r0.y + m->r1.x, m->r0.z + m->r2.x, m->r2.y - m->r1.z};
    } else if (y >= z) {
        q = (gjk_quat){m->r0.y + m->r1.x, 1.0 + y - x - z, m->r1.z + m->r2.y, m->r0.z - m->r2.x};
    } else {
        q = (gjk_quat){m->r0.z + m->r2.x, m->r1.z + m->r2.y, 1.0 + z - x - y, m->r1.x - m->r0.y};
    }
    const double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (gjk_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

gjk_quat gjk_pose_orientation(const gjk_pose *pose) {
    return pose->form == GJK_POSE_QUATERNION ? pose->turn.orientation
                                             : quat_of_matrix(&pose->rotation);
}

double gjk_pose_angle(const gjk_pose *pose) {
    return pose->form == GJK_POSE_ANGLE ? pose->turn.angle
                                        : gjk_atan2(pose->rotation.r1.x, pose->rotation.r0.x);
}
