/* Are the signs of the predicates always right? Compared with exact integers. */

#include "base/predicate.h"

#include "gjk/base.h"
#include "support/rng.h"
#include "support/test.h"

__extension__ typedef __int128 int128;

#define CASES 20000

typedef struct point {
    int64_t x, y, z;
} point;

static int sign128(int128 value) {
    return (value > 0) - (value < 0);
}

/* Coordinates below 2^40 keep the volume below 2^127. */
static int integer_orient3(point a, point b, point c, point d) {
    int128 ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    int128 vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    int128 wx = d.x - a.x, wy = d.y - a.y, wz = d.z - a.z;
    return sign128(wx * (uy * vz - uz * vy) + wy * (uz * vx - ux * vz) + wz * (ux * vy - uy * vx));
}

static int integer_orient2(point a, point b, point c) {
    return sign128((int128)(b.x - a.x) * (c.y - a.y) - (int128)(b.y - a.y) * (c.x - a.x));
}

static gjk_vec3 scaled3(point p, int exponent) {
    return (gjk_vec3){ldexp((double)p.x, exponent), ldexp((double)p.y, exponent),
                      ldexp((double)p.z, exponent)};
}

static gjk_vec2 scaled2(point p, int exponent) {
    return gjk_xy(scaled3(p, exponent));
}

/* A whole number of at most `bits` bits, of any size up to that. */
static int64_t random_integer(test_rng *rng, uint32_t bits) {
    int64_t magnitude = (int64_t)(test_rng_next(rng) >> (64 - bits + test_rng_below(rng, bits)));
    return test_rng_once_in(rng, 2) ? magnitude : -magnitude;
}

static point random_point(test_rng *rng, uint32_t bits) {
    return (point){random_integer(rng, bits), random_integer(rng, bits), random_integer(rng, bits)};
}

/* i a + j b + k c, and moved by at most one unit along each axis. */
static point near_plane(test_rng *rng, point a, point b, point c) {
    int i = test_rng_integer(rng, -2, 2), j = test_rng_integer(rng, -2, 2), k = 1 - i - j;
    point p = {i * a.x + j * b.x + k * c.x, i * a.y + j * b.y + k * c.y,
               i * a.z + j * b.z + k * c.z};
    if (test_rng_once_in(rng, 2)) {
        p.x += test_rng_integer(rng, -1, 1);
        p.y += test_rng_integer(rng, -1, 1);
        p.z += test_rng_integer(rng, -1, 1);
    }
    return p;
}

static point near_line(test_rng *rng, point a, point b) {
    return near_plane(rng, a, b, a);
}

/* In units of these powers of two; the exact part works in all of them. */
static const int units[] = {0, -40, 40, -1074, 900, -300, 450, -560, -374, -390};
#define UNITS (int)(sizeof units / sizeof units[0])

TEST(orient2_agrees_with_integers) {
    int zeros = 0;
    test_rng rng = test_rng_make(2);
    for (int i = 0; i < CASES; i++) {
        point a = random_point(&rng, 48), b = random_point(&rng, 48);
        point c = test_rng_once_in(&rng, 2) ? near_line(&rng, a, b) : random_point(&rng, 48);
        int e = units[i % UNITS], expected = integer_orient2(a, b, c);
        gjk_vec2 p = scaled2(a, e), q = scaled2(b, e), r = scaled2(c, e);
        zeros += expected == 0;
        ck_assert_int_eq(gjk_orient2_exact(p, q, r), expected);
        if (e <= 450) {
            ck_assert_int_eq(gjk_orient2_sign(p, q, r), expected);
            ck_assert_int_eq(gjk_orient2_sign(q, r, p), expected);
            ck_assert_int_eq(gjk_orient2_sign(r, q, p), -expected);
        }
    }
    ck_assert_int_gt(zeros, CASES / 20);
    ck_assert_int_lt(zeros, CASES / 2);
}

/* The direction has the ratios of the whole minors, each right in its last places. */
TEST(cross_agrees_with_integers) {
    int zeros = 0;
    test_rng rng = test_rng_make(5);
    for (int i = 0; i < CASES; i++) {
        point a = random_point(&rng, 48), b = random_point(&rng, 48);
        point c = test_rng_once_in(&rng, 2) ? near_line(&rng, a, b) : random_point(&rng, 48);
        int e = units[i % UNITS];
        gjk_vec3 n = gjk_cross3_exact(scaled3(a, e), scaled3(b, e), scaled3(c, e));
        int128 ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
        int128 vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
        long double minor[3] = {(long double)(uy * vz - uz * vy), (long double)(uz * vx - ux * vz),
                                (long double)(ux * vy - uy * vx)};
        double found[3] = {n.x, n.y, n.z};
        int most = fabs(n.y) > fabs(n.x);
        most = fabs(n.z) > fabs(found[most]) ? 2 : most;
        long double unit = minor[most] == 0 ? 1 : found[most] / minor[most];
        zeros += found[most] == 0;
        ck_assert(found[most] == 0 || (fabs(found[most]) >= 0.5 && fabs(found[most]) <= 1));
        ck_assert(unit > 0);
        for (int k = 0; k < 3; k++) {
            ck_assert(fabsl(found[k] - unit * minor[k]) <= fabsl(unit * minor[k]) * 0x1p-50L);
        }
    }
    ck_assert_int_gt(zeros, CASES / 20);
}

TEST(orient3_agrees_with_integers) {
    int zeros = 0;
    test_rng rng = test_rng_make(3);
    for (int i = 0; i < CASES; i++) {
        point a = random_point(&rng, 36), b = random_point(&rng, 36), c = random_point(&rng, 36);
        point d = test_rng_once_in(&rng, 2) ? near_plane(&rng, a, b, c) : random_point(&rng, 36);
        int e = units[i % UNITS], expected = integer_orient3(a, b, c, d);
        gjk_vec3 p = scaled3(a, e), q = scaled3(b, e), r = scaled3(c, e), s = scaled3(d, e);
        zeros += expected == 0;
        ck_assert_int_eq(gjk_orient3_exact(p, q, r, s), expected);
        if (e <= 450) {
            ck_assert_int_eq(gjk_orient3_sign(p, q, r, s), expected);
            ck_assert_int_eq(gjk_orient3_sign(q, r, p, s), expected);
            ck_assert_int_eq(gjk_orient3_sign(q, p, r, s), -expected);
            ck_assert_int_eq(gjk_orient3_sign(s, q, r, p), -expected);
        }
    }
    ck_assert_int_gt(zeros, CASES / 20);
    ck_assert_int_lt(zeros, CASES / 2);
}

/* The classic failure of floating point: steps of one unit in the last place around a
 * point of the diagonal, seen from two others on it. */
TEST(a_grid_of_last_places_is_sorted_right) {
    const double b = 12, c = 24;
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < 64; j++) {
            gjk_vec2 a = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53};
            int expected = (i < j) - (j < i);
            ck_assert_int_eq(gjk_orient2_sign((gjk_vec2){b, b}, (gjk_vec2){c, c}, a), expected);
            ck_assert_int_eq(gjk_orient2_sign((gjk_vec2){-b, -b}, (gjk_vec2){c, c}, a), expected);
            ck_assert_int_eq(gjk_orient3_sign((gjk_vec3){b, b, b}, (gjk_vec3){c, c, c},
                                              (gjk_vec3){b, b, -c}, (gjk_vec3){a.x, a.y, 0.1}),
                             expected);
        }
    }
}

/* Differences that are not doubles: huge and tiny coordinates in one call. */
TEST(mixed_magnitudes) {
    const double huge = GJK_COORDINATE_MAX, least = 0x1p-1074;
    const gjk_vec2 o = {0, 0}, tiny = {least, least}, far = {huge, huge};
    const gjk_vec2 above = {huge, nextafter(huge, INFINITY)};
    ck_assert_int_eq(gjk_orient2_sign(o, tiny, far), 0);
    ck_assert_int_eq(gjk_orient2_sign(o, tiny, above), 1);
    ck_assert_int_eq(gjk_orient2_sign(far, tiny, o), 0);
    ck_assert_int_eq(gjk_orient2_sign(far, (gjk_vec2){least, 0}, o), -1);
    ck_assert_int_eq(gjk_orient2_sign(far, (gjk_vec2){0, least}, o), 1);
    ck_assert_int_eq(gjk_orient2_sign((gjk_vec2){least, 0}, (gjk_vec2){0, least}, o), 1);
    ck_assert_int_eq(gjk_orient2_sign((gjk_vec2){-huge, 1e-300}, (gjk_vec2){huge, 1e-300}, o), -1);

    const gjk_vec3 a = {huge, 0, least}, b = {0, huge, least}, c = {-huge, -huge, least};
    ck_assert_int_eq(gjk_orient3_sign(a, b, c, (gjk_vec3){1, 1, least}), 0);
    ck_assert_int_eq(gjk_orient3_sign(a, b, c, (gjk_vec3){1, 1, 0}), -1);
    ck_assert_int_eq(gjk_orient3_sign(a, b, c, (gjk_vec3){1, 1, 2 * least}), 1);
    ck_assert_int_eq(gjk_orient3_sign((gjk_vec3){least, 0, 0}, (gjk_vec3){0, least, 0},
                                      (gjk_vec3){0, 0, least}, (gjk_vec3){0, 0, 0}),
                     -1);
    /* Parallel but for an area of least squared. */
    const gjk_vec3 n = gjk_cross3_exact((gjk_vec3){huge, huge, 0}, (gjk_vec3){least, 0, 0},
                                        (gjk_vec3){2 * least, least, 0});
    ck_assert(n.x == 0 && n.y == 0 && n.z == 0.5);
    ck_assert_int_eq(gjk_orient3_sign((gjk_vec3){-huge, 1e-300, 3}, (gjk_vec3){huge, 1e-300, 3},
                                      (gjk_vec3){0.1, huge, 3}, (gjk_vec3){0.3, 1e-5, 3}),
                     0);
}

/* Shewchuk's static bounds: what the filter claims must be what the exact part says. */
TEST(the_filter_never_contradicts_the_exact_part) {
    int decided = 0;
    test_rng rng = test_rng_make(4);
    for (int i = 0; i < CASES; i++) {
        gjk_vec3 p[4];
        double spread = test_rng_magnitude(&rng, -18, 0);
        gjk_vec3 base = gjk_scale3(test_rng_magnitude(&rng, -3, 3), test_rng_direction(&rng, 3));
        for (int k = 0; k < 4; k++) {
            p[k] = gjk_add3(base, gjk_scale3(spread, test_rng_direction(&rng, 3)));
        }
        if (i % 2 == 0) {
            p[3] = gjk_add3(gjk_scale3(0.25, p[0]),
                            gjk_add3(gjk_scale3(0.5, p[1]), gjk_scale3(0.25, p[2])));
        }
        double measure;
        int filter = gjk_orient3_filter(p[0], p[1], p[2], p[3], &measure);
        int exact = gjk_orient3_exact(p[0], p[1], p[2], p[3]);
        ck_assert(filter == 0 || filter == exact);
        decided += filter != 0;
        ck_assert_int_eq(gjk_orient2_sign(gjk_xy(p[0]), gjk_xy(p[1]), gjk_xy(p[3])),
                         gjk_orient2_exact(gjk_xy(p[0]), gjk_xy(p[1]), gjk_xy(p[3])));
    }
    ck_assert_int_gt(decided, CASES / 4);
    ck_assert_int_lt(decided, CASES);
}

TEST(collinear_in_space) {
    const gjk_vec3 a = {0.1, 0.2, 0.3}, b = {0.2, 0.4, 0.6}, c = {0.4, 0.8, 1.2};
    ck_assert(gjk_collinear3(a, b, c));
    ck_assert(gjk_collinear3(a, a, c));
    ck_assert(gjk_collinear3(a, b, a));
    for (int i = 0; i < 3; i++) {
        gjk_vec3 d = c;
        double *moved = i == 0 ? &d.x : i == 1 ? &d.y : &d.z;
        *moved = nextafter(*moved, 0);
        ck_assert(!gjk_collinear3(a, b, d));
        ck_assert(!gjk_collinear3(d, a, b));
    }
}

/* Segments with ends that are integers cross where exact fractions say, rounded once. */
TEST(crossings_are_rounded_once) {
    test_rng rng = test_rng_make(9);
    uint32_t crossings = 0;
    while (crossings < CASES) {
        point p[4];
        gjk_vec2 q[4];
        for (int i = 0; i < 4; i++) {
            p[i] = (point){test_rng_integer(&rng, -1000, 1000), test_rng_integer(&rng, -1000, 1000),
                           0};
            q[i] = scaled2(p[i], 0);
        }
        if (integer_orient2(p[0], p[1], p[2]) * integer_orient2(p[0], p[1], p[3]) >= 0 ||
            integer_orient2(p[2], p[3], p[0]) * integer_orient2(p[2], p[3], p[1]) >= 0) {
            continue;
        }
        crossings++;
        const int64_t ax = p[1].x - p[0].x, ay = p[1].y - p[0].y;
        const int64_t bx = p[3].x - p[2].x, by = p[3].y - p[2].y;
        const int64_t whole = ax * by - ay * bx;
        const int64_t part = (p[2].x - p[0].x) * by - (p[2].y - p[0].y) * bx;
        const long double x = (long double)(p[0].x * whole + part * ax) / (long double)whole;
        const long double y = (long double)(p[0].y * whole + part * ay) / (long double)whole;
        const gjk_vec2 fine = gjk_crossing2(q[0], q[1], q[2], q[3], 0);
        ck_assert(fine.x == (double)x || fabsl(x - fine.x) <= 0x1.0001p-53L * fabsl(x));
        ck_assert(fine.y == (double)y || fabsl(y - fine.y) <= 0x1.0001p-53L * fabsl(y));
        const gjk_vec2 coarse = gjk_crossing2(q[0], q[1], q[2], q[3], 0.25);
        ck_assert(coarse.x * 4 == floor(coarse.x * 4) && fabsl(x - coarse.x) <= 0.125L);
        ck_assert(coarse.y * 4 == floor(coarse.y * 4) && fabsl(y - coarse.y) <= 0.125L);
    }
}
