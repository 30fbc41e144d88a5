#ifndef GJK_BASE_LANES_PLAIN_H
#define GJK_BASE_LANES_PLAIN_H

/*
 * Eight doubles side by side, for every processor. Each function rounds each lane separately, so
 * all forms of a kernel give the same bits.
 */

#include "base/lanes.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

typedef double lanes_two __attribute__((vector_size(16)));
typedef int64_t lanes_two_bits __attribute__((vector_size(16)));

typedef struct lanes {
    lanes_two part[4];
} lanes;

LANES_INLINE lanes lanes_all(double x) {
    const lanes_two both = {x, x};
    return (lanes){{both, both, both, both}};
}
/* Loads one number from memory into all lanes, so that computations from it happen in all lanes:
 * compilers would compute them in one lane and then broadcast, which takes longer. */
LANES_INLINE lanes lanes_spread(const double *p) {
    return lanes_all(*p);
}
/* Load from and store to an address aligned to 64 bytes. */
LANES_INLINE lanes lanes_load(const double *p) {
    const lanes_two *parts = (const lanes_two *)(const void *)p;
    return (lanes){{parts[0], parts[1], parts[2], parts[3]}};
}
/* Loads from an address of any alignment. */
LANES_INLINE lanes lanes_load_any(const double *p) {
    return (lanes){{{p[0], p[1]}, {p[2], p[3]}, {p[4], p[5]}, {p[6], p[7]}}};
}
/* Loads eight floats from an address of any alignment; exact. */
LANES_INLINE lanes lanes_load_floats(const float *p) {
    return (lanes){{{p[0], p[1]}, {p[2], p[3]}, {p[4], p[5]}, {p[6], p[7]}}};
}
LANES_INLINE void lanes_store(double *p, lanes a) {
    lanes_two *parts = (lanes_two *)(void *)p;
    parts[0] = a.part[0];
    parts[1] = a.part[1];
    parts[2] = a.part[2];
    parts[3] = a.part[3];
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return (lanes){{a.part[0] + b.part[0], a.part[1] + b.part[1], a.part[2] + b.part[2],
                    a.part[3] + b.part[3]}};
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return (lanes){{a.part[0] - b.part[0], a.part[1] - b.part[1], a.part[2] - b.part[2],
                    a.part[3] - b.part[3]}};
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return (lanes){{a.part[0] * b.part[0], a.part[1] * b.part[1], a.part[2] * b.part[2],
                    a.part[3] * b.part[3]}};
}
LANES_INLINE lanes_two lanes_two_root(lanes_two a) {
#ifdef __SSE2__
    return _mm_sqrt_pd(a);
#else
    return (lanes_two){sqrt(a[0]), sqrt(a[1])};
#endif
}
LANES_INLINE lanes lanes_root(lanes a) {
    return (lanes){{lanes_two_root(a.part[0]), lanes_two_root(a.part[1]), lanes_two_root(a.part[2]),
                    lanes_two_root(a.part[3])}};
}
LANES_INLINE lanes lanes_divide(lanes a, lanes b) {
    return (lanes){{a.part[0] / b.part[0], a.part[1] / b.part[1], a.part[2] / b.part[2],
                    a.part[3] / b.part[3]}};
}
LANES_INLINE lanes_two lanes_choose(lanes_two_bits which, lanes_two yes, lanes_two no) {
    return (lanes_two)((which & (lanes_two_bits)yes) | (~which & (lanes_two_bits)no));
}
/* Return the smaller or the larger of two; of two zeros the second. NaN does not occur. */
LANES_INLINE lanes_two lanes_two_smaller(lanes_two a, lanes_two b) {
#ifdef __SSE2__
    return _mm_min_pd(a, b);
#else
    return lanes_choose(a < b, a, b);
#endif
}
LANES_INLINE lanes_two lanes_two_larger(lanes_two a, lanes_two b) {
#ifdef __SSE2__
    return _mm_max_pd(a, b);
#else
    return lanes_choose(a > b, a, b);
#endif
}
LANES_INLINE lanes lanes_smaller(lanes a, lanes b) {
    return (lanes){
        {lanes_two_smaller(a.part[0], b.part[0]), lanes_two_smaller(a.part[1], b.part[1]),
         lanes_two_smaller(a.part[2], b.part[2]), lanes_two_smaller(a.part[3], b.part[3])}};
}
LANES_INLINE lanes lanes_larger(lanes a, lanes b) {
    return (lanes){{lanes_two_larger(a.part[0], b.part[0]), lanes_two_larger(a.part[1], b.part[1]),
                    lanes_two_larger(a.part[2], b.part[2]),
                    lanes_two_larger(a.part[3], b.part[3])}};
}
/* Returns a bit for each lane of four comparisons. */
LANES_INLINE uint32_t lanes_bits(const lanes_two_bits which[4]) {
    const lanes_two_bits place[4] = {{1, 2}, {4, 8}, {16, 32}, {64, 128}};
    const lanes_two_bits set = (which[0] & place[0]) | (which[1] & place[1]) |
                               (which[2] & place[2]) | (which[3] & place[3]);
    return (uint32_t)(set[0] | set[1]);
}
/* Return a bit for each lane, bit 0 for the first, in which a is above, not below, or equal to
 * b. */
LANES_INLINE uint32_t lanes_above(lanes a, lanes b) {
    const lanes_two_bits which[4] = {a.part[0] > b.part[0], a.part[1] > b.part[1],
                                     a.part[2] > b.part[2], a.part[3] > b.part[3]};
    return lanes_bits(which);
}
LANES_INLINE uint32_t lanes_not_below(lanes a, lanes b) {
    const lanes_two_bits which[4] = {a.part[0] >= b.part[0], a.part[1] >= b.part[1],
                                     a.part[2] >= b.part[2], a.part[3] >= b.part[3]};
    return lanes_bits(which);
}
LANES_INLINE uint32_t lanes_equal(lanes a, lanes b) {
    const lanes_two_bits which[4] = {a.part[0] == b.part[0], a.part[1] == b.part[1],
                                     a.part[2] == b.part[2], a.part[3] == b.part[3]};
    return lanes_bits(which);
}
/* Returns a bit for each lane in which a and b are equal, or one of them is NaN. */
LANES_INLINE uint32_t lanes_equal_or_nan(lanes a, lanes b) {
    return 0xff ^ (lanes_above(a, b) | lanes_above(b, a));
}
/* Returns, lane by lane, `yes` where a is less than b, else `no`. */
LANES_INLINE lanes lanes_where_less(lanes a, lanes b, lanes yes, lanes no) {
    return (lanes){{lanes_choose(a.part[0] < b.part[0], yes.part[0], no.part[0]),
                    lanes_choose(a.part[1] < b.part[1], yes.part[1], no.part[1]),
                    lanes_choose(a.part[2] < b.part[2], yes.part[2], no.part[2]),
                    lanes_choose(a.part[3] < b.part[3], yes.part[3], no.part[3])}};
}
/* Returns the largest of all lanes, in all lanes. */
LANES_INLINE lanes lanes_largest(lanes a) {
    const lanes_two low = lanes_two_larger(lanes_two_larger(a.part[0], a.part[1]),
                                           lanes_two_larger(a.part[2], a.part[3]));
    return lanes_all(low[0] > low[1] ? low[0] : low[1]);
}

/* Returns the least of all lanes, in all lanes. */
LANES_INLINE lanes lanes_least(lanes a) {
    const lanes_two low = lanes_two_smaller(lanes_two_smaller(a.part[0], a.part[1]),
                                            lanes_two_smaller(a.part[2], a.part[3]));
    return lanes_all(low[0] < low[1] ? low[0] : low[1]);
}
/* Returns the numbers 0 to 7. */
LANES_INLINE lanes lanes_numbers(void) {
    return (lanes){{{0, 1}, {2, 3}, {4, 5}, {6, 7}}};
}
/* Returns the number in the first lane. */
LANES_INLINE double lanes_first(lanes a) {
    return a.part[0][0];
}
/* Returns the numbers in the first two lanes. */
LANES_INLINE lanes_two lanes_first_two(lanes a) {
    return a.part[0];
}

#endif
