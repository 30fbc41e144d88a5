/*
 * The exact sign of a determinant of doubles.
 *
 * Every double is an integer times a power of two, so a sum of products of doubles is an integer in
 * units of the smallest such power. Positive and negative products are added up in two long
 * integers, which are then compared. Nothing is rounded, so neither cancellation nor the range of
 * exponents matters.
 *
 * Shewchuk (see predicate.h) sums expansions of doubles instead. Long integers are shorter to
 * write, need no renormalisation, and cannot overflow or underflow. His observation that the
 * differences of coordinates are mostly exact is used here, too: then 2 or 6 products of
 * differences replace 6 or 24 products of coordinates.
 */

#include "base/predicate.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/double_double.h"
#include "gjk/base.h"

__extension__ typedef unsigned __int128 uint128;

/* sign * mantissa * 2^exponent; mantissa < 2^53. */
typedef struct part {
    uint64_t mantissa;
    int exponent;
    bool negative;
} part;

/* The exponents of three factors span at most 3 * (2^11 - 2) bits, a product has 3 * 53 bits, a sum
 * of 12 products 4 more, and a shift within a word needs one more word. */
#define LEDGER_WORDS ((3 * 2046 + 3 * 53 + 4) / 64 + 2)

/* Two long integers: sums of the positive ([0]) and of the negative ([1]) products. Word i of a sum
 * has weight 2^(64 i + base); words from `top` on are zero and not yet cleared. */
typedef struct ledger {
    int base;
    int top;
    uint64_t sums[2][LEDGER_WORDS];
} ledger;

static part take_apart(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);

    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    part p = {fraction, -1074, bits >> 63 != 0};
    if (biased > 0) {
        p.mantissa |= UINT64_C(1) << 52;
        p.exponent = biased - 1075;
    }
    return p;
}

/* Takes count doubles apart and returns the least exponent of the non-zero ones. */
static int take_all_apart(const double *values, int count, part *parts) {
    int least = 1024;
    for (int i = 0; i < count; i++) {
        parts[i] = take_apart(values[i]);
        if (parts[i].mantissa != 0 && parts[i].exponent < least) {
            least = parts[i].exponent;
        }
    }
    return least;
}

static void ledger_grow(ledger *l, int words) {
    GJK_CHECK(words <= LEDGER_WORDS);
    for (; l->top < words; l->top++) {
        l->sums[0][l->top] = 0;
        l->sums[1][l->top] = 0;
    }
}

/* Adds x y z, or subtracts it if `minus`. */
static void ledger_add(ledger *l, const part *x, const part *y, const part *z, bool minus) {
    if (x->mantissa == 0 || y->mantissa == 0 || z->mantissa == 0) {
        return;
    }
    int offset = x->exponent + y->exponent + z->exponent - l->base;
    int first = offset / 64, shift = offset % 64;

    uint128 xy = (uint128)x->mantissa * y->mantissa;
    uint128 low = (uint128)(uint64_t)xy * z->mantissa;
    uint128 high = (xy >> 64) * z->mantissa + (low >> 64);
    uint64_t product[3] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64)};

    ledger_grow(l, first + 5);
    bool negative = x->negative ^ y->negative ^ z->negative ^ minus;
    uint64_t *sum = &l->sums[negative][first];
    uint128 carry = 0;
    uint64_t below = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t word = i < 3 ? product[i] : 0;
        uint64_t shifted = shift == 0 ? word : word << shift | below >> (64 - shift);
        carry += (uint128)sum[i] + shifted;
        sum[i] = (uint64_t)carry;
        carry >>= 64;
        below = word;
    }
    for (int i = 4; carry != 0; i++) {
        ledger_grow(l, first + i + 1);
        carry += sum[i];
        sum[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static int ledger_sign(const ledger *l) {
    for (int i = l->top - 1; i >= 0; i--) {
        if (l->sums[0][i] != l->sums[1][i]) {
            return l->sums[0][i] > l->sums[1][i] ? 1 : -1;
        }
    }
    return 0;
}

/* Computes a - b. Returns true if the difference is exact. */
static bool subtract_exactly(double a, double b, double *difference) {
    gjk_double_double d = gjk_two_difference(a, b);
    *difference = d.high;
    return d.low == 0.0;
}

/* Adds (or with `minus` subtracts) the determinant of two rows, times z. */
static void add_det2(ledger *l, const part *p, const part *q, const part *z, bool minus) {
    ledger_add(l, &p[0], &q[1], z, minus);
    ledger_add(l, &p[1], &q[0], z, !minus);
}

/* Adds (or with `minus` subtracts) the determinant of three rows, expanded by the column z. */
static void add_det3(ledger *l, const part *p, const part *q, const part *r, bool minus) {
    add_det2(l, p, q, &r[2], minus);
    add_det2(l, q, r, &p[2], minus);
    add_det2(l, r, p, &q[2], minus);
}

/* mantissa * 2^exponent */
typedef struct scaled {
    double mantissa;
    int exponent;
} scaled;

/* Replaces the larger of the two sums by their difference, which is not 0. Returns its words; *top
 * is the index of the highest non-zero word. */
static const uint64_t *ledger_subtract(ledger *l, int *top) {
    const int larger = ledger_sign(l) < 0;
    uint64_t *words = l->sums[larger];
    const uint64_t *less = l->sums[!larger];
    bool borrow = false;
    for (int i = 0; i < l->top; i++) {
        const uint64_t difference = words[i] - less[i], left = difference - borrow;
        borrow = words[i] < less[i] || difference < borrow;
        words[i] = left;
    }
    *top = l->top - 1;
    while (*top > 0 && words[*top] == 0) {
        (*top)--;
    }
    return words;
}

/* Returns the positive minus the negative sum, within a unit in the last place. Destroys the
 * ledger. */
static scaled ledger_value(ledger *l) {
    const int sign = ledger_sign(l);
    int top;
    if (sign == 0) {
        return (scaled){0.0, 0};
    }
    const uint64_t *words = ledger_subtract(l, &top);
    const double high = (double)words[top], low = top > 0 ? (double)words[top - 1] : 0.0;
    return (scaled){sign * (high * 0x1p64 + low), 64 * (top - 1) + l->base};
}

/* Adds the signed area of a parallelogram, (b - a) x (c - a). */
static void add_area(ledger *l, gjk_vec2 a, gjk_vec2 b, gjk_vec2 c) {
    const double values[6] = {a.x, a.y, b.x, b.y, c.x, c.y};
    const part one = take_apart(1.0);
    double differences[4];
    part p[6]; /* rows of two */

    bool exact = true;
    for (int i = 0; i < 4; i++) {
        exact = subtract_exactly(values[i + 2], values[i % 2], &differences[i]) && exact;
    }
    if (exact) {
        l->base = 2 * take_all_apart(differences, 4, p) + one.exponent;
        add_det2(l, p, p + 2, &one, false);
    } else {
        /* The determinant of the rows (a, 1), (b, 1), (c, 1), expanded by the column of ones. */
        l->base = 2 * take_all_apart(values, 6, p) + one.exponent;
        add_det2(l, p, p + 2, &one, false);
        add_det2(l, p + 2, p + 4, &one, false);
        add_det2(l, p + 4, p, &one, false);
    }
}

int gjk_orient2_exact(gjk_vec2 a, gjk_vec2 b, gjk_vec2 c) {
    ledger l = {.top = 0};
    add_area(&l, a, b, c);
    return ledger_sign(&l);
}

gjk_vec3 gjk_cross3_exact(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c) {
    const gjk_vec2 seen[3][3] = {{{a.y, a.z}, {b.y, b.z}, {c.y, c.z}},
                                 {{a.z, a.x}, {b.z, b.x}, {c.z, c.x}},
                                 {{a.x, a.y}, {b.x, b.y}, {c.x, c.y}}};
    scaled minor[3];
    int most = INT_MIN;
    for (int i = 0; i < 3; i++) {
        ledger l = {.top = 0};
        int exponent;
        add_area(&l, seen[i][0], seen[i][1], seen[i][2]);
        minor[i] = ledger_value(&l);
        minor[i].mantissa = frexp(minor[i].mantissa, &exponent);
        minor[i].exponent += exponent;
        if (minor[i].mantissa != 0.0 && minor[i].exponent > most) {
            most = minor[i].exponent;
        }
    }
    if (most == INT_MIN) {
        return (gjk_vec3){0, 0, 0};
    }
    return (gjk_vec3){ldexp(minor[0].mantissa, minor[0].exponent - most),
                      ldexp(minor[1].mantissa, minor[1].exponent - most),
                      ldexp(minor[2].mantissa, minor[2].exponent - most)};
}

/* Returns |area| of the parallelogram, which is not 0, with relative error 2^-100, in units of
 * 2^*exponent. */
static gjk_double_double area_in_full(gjk_vec2 a, gjk_vec2 b, gjk_vec2 c, int *exponent) {
    ledger l = {.top = 0};
    gjk_double_double sum = {0.0, 0.0};
    int top;
    add_area(&l, a, b, c);
    const uint64_t *words = ledger_subtract(&l, &top);
    for (int i = top; i >= 0 && i > top - 3; i--) {
        const double unit = ldexp(1.0, 64 * (i - top));
        const gjk_double_double high = {0x1p32 * (double)(words[i] >> 32) * unit, 0.0};
        const gjk_double_double low = {(double)(words[i] & UINT32_MAX) * unit, 0.0};
        sum = gjk_dd_add(gjk_dd_add(sum, high), low);
    }
    *exponent = 64 * top + l.base;
    return sum;
}

/* Returns low + share * (high - low), rounded once: to a double, or to a multiple of `step` if that
 * is coarser. */
static double part_way(double low, double high, gjk_double_double share, double step) {
    const gjk_double_double way = gjk_dd_mul(share, gjk_two_difference(high, low));
    const gjk_double_double sum = gjk_dd_add((gjk_double_double){low, 0.0}, way);
    if (!(fabs(sum.high) < 0x1p52 * step)) {
        return sum.high;
    }
    const double below = floor(sum.high / step);
    const double rest = sum.high - below * step + sum.low;
    return (rest > 0.5 * step ? below + 1.0 : below) * step;
}

/* Returns the number nearest to x that lies between both pairs of bounds. */
static double within_both(double x, const double a[2], const double b[2]) {
    const double least = fmax(fmin(a[0], a[1]), fmin(b[0], b[1]));
    const double most = fmin(fmax(a[0], a[1]), fmax(b[0], b[1]));
    return fmin(fmax(x, least), most);
}

gjk_vec2 gjk_crossing2(gjk_vec2 a0, gjk_vec2 a1, gjk_vec2 b0, gjk_vec2 b1, double step) {
    int exponents[2];
    gjk_double_double areas[2] = {area_in_full(b0, b1, a0, &exponents[0]),
                                  area_in_full(b0, b1, a1, &exponents[1])};
    const int lesser = exponents[1] < exponents[0];
    const int shift = exponents[lesser] - exponents[!lesser];
    areas[lesser].high = ldexp(areas[lesser].high, shift);
    areas[lesser].low = ldexp(areas[lesser].low, shift);
    if (!(areas[0].high < areas[1].high)) {
        const gjk_vec2 end = a0;
        const gjk_double_double area = areas[0];
        a0 = a1, a1 = end;
        areas[0] = areas[1], areas[1] = area;
    }
    /* The fraction of the segment from the nearer end, by one step of long division. */
    const gjk_double_double sum = gjk_dd_add(areas[0], areas[1]);
    const double first = areas[0].high / sum.high;
    const gjk_double_double rest = gjk_dd_add(areas[0], gjk_dd_neg(gjk_dd_scale(first, sum)));
    const gjk_double_double share = gjk_dd_make(first, rest.high / sum.high);
    const double x = part_way(a0.x, a1.x, share, step), y = part_way(a0.y, a1.y, share, step);
    return (gjk_vec2){
        within_both(x, (const double[2]){a0.x, a1.x}, (const double[2]){b0.x, b1.x}),
        within_both(y, (const double[2]){a0.y, a1.y}, (const double[2]){b0.y, b1.y}),
    };
}

int gjk_orient3_exact(gjk_vec3 a, gjk_vec3 b, gjk_vec3 c, gjk_vec3 d) {
    const double values[12] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    double differences[9];
    part p[12]; /* rows of three */
    ledger l = {.top = 0};

    bool exact = true;
    for (int i = 0; i < 9; i++) {
        exact = subtract_exactly(values[i + 3], values[i % 3], &differences[i]) && exact;
    }
    if (exact) {
        l.base = 3 * take_all_apart(differences, 9, p);
        add_det3(&l, p, p + 3, p + 6, false);
    } else {
        /* The determinant of the rows (b, 1), (c, 1), (d, 1), (a, 1), expanded by the column of
         * ones. */
        l.base = 3 * take_all_apart(values, 12, p);
        add_det3(&l, p + 3, p + 6, p + 9, false);
        add_det3(&l, p, p + 6, p + 9, true);
        add_det3(&l, p, p + 3, p + 9, false);
        add_det3(&l, p, p + 3, p + 6, true);
    }
    return ledger_sign(&l);
}
