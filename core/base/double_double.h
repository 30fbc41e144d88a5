#ifndef GJK_BASE_DOUBLE_DOUBLE_H
#define GJK_BASE_DOUBLE_DOUBLE_H

/* Double-double arithmetic: unevaluated sums of two doubles, by error-free transforms (no fused
 * multiply-add, no reassociation). Sources: Dekker 1971; Knuth, TAOCP 2, 4.2.2. */

typedef struct gjk_double_double {
    double high, low;
} gjk_double_double;

/* Returns a + b exactly. */
static inline gjk_double_double gjk_two_sum(double a, double b) {
    double high = a + b;
    double b_part = high - a;
    return (gjk_double_double){high, (a - (high - b_part)) + (b - b_part)};
}

/* Returns a - b exactly. */
static inline gjk_double_double gjk_two_difference(double a, double b) {
    return gjk_two_sum(a, -b);
}

/* Returns a * b exactly, for products between about 1e-290 and 1e290 and factors below 1e290. */
static inline gjk_double_double gjk_two_product(double a, double b) {
    const double splitter = 0x1p27 + 1.0;
    double ca = splitter * a, cb = splitter * b;
    double a_high = ca - (ca - a), b_high = cb - (cb - b);
    double a_low = a - a_high, b_low = b - b_high;
    double high = a * b;
    return (gjk_double_double){high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) +
                                         a_low * b_low};
}

/* Renormalises an exact sum so that high is the rounded sum. Precondition: |high| >= |low|, or
 * either is 0. */
static inline gjk_double_double gjk_dd_make(double high, double low) {
    double sum = high + low;
    return (gjk_double_double){sum, low - (sum - high)};
}

/* Sums and products, with errors below 2^-102 of the operands. */
static inline gjk_double_double gjk_dd_add(gjk_double_double a, gjk_double_double b) {
    gjk_double_double sum = gjk_two_sum(a.high, b.high);
    return gjk_dd_make(sum.high, sum.low + (a.low + b.low));
}
static inline gjk_double_double gjk_dd_mul(gjk_double_double a, gjk_double_double b) {
    gjk_double_double product = gjk_two_product(a.high, b.high);
    return gjk_dd_make(product.high, product.low + (a.high * b.low + a.low * b.high));
}
static inline gjk_double_double gjk_dd_scale(double s, gjk_double_double a) {
    gjk_double_double product = gjk_two_product(s, a.high);
    return gjk_dd_make(product.high, product.low + s * a.low);
}
/* Returns a / b for an exact double b: the remainder of the first quotient gives the second. */
static inline gjk_double_double gjk_dd_divide(gjk_double_double a, double b) {
    const double high = a.high / b;
    const gjk_double_double back = gjk_two_product(high, b);
    return gjk_dd_make(high, (((a.high - back.high) - back.low) + a.low) / b);
}
static inline gjk_double_double gjk_dd_neg(gjk_double_double a) {
    return (gjk_double_double){-a.high, -a.low};
}

#endif
