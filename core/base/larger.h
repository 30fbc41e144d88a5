#ifndef GJK_BASE_LARGER_H
#define GJK_BASE_LARGER_H

/* The larger and the smaller of two numbers, inline. fmax and fmin are calls into libm
 * (they treat NaN, which does not come here) and leave the sign of a zero to it. */
static inline double gjk_larger(double a, double b) {
    return a > b ? a : b;
}
static inline double gjk_smaller(double a, double b) {
    return a < b ? a : b;
}

#endif
