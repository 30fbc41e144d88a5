#ifndef GJK_BASE_TWO_H
#define GJK_BASE_TWO_H

/* A vector of the plane in one register, and a rotation of the plane. Each number is rounded
 * separately, as in gjk/vec.h. */

#include "gjk/pose.h"

#include <stdint.h>

typedef double gjk_two __attribute__((vector_size(16)));
typedef int64_t gjk_two_bits __attribute__((vector_size(16)));

#ifdef __OPTIMIZE_SIZE__
#define TWO_INLINE static inline
#else
#define TWO_INLINE static inline __attribute__((always_inline))
#endif

TWO_INLINE gjk_two two_all(double x) {
    return (gjk_two){x, x};
}
/* Returns the first two numbers of a vector. Loads them one by one, since they may just have been
 * written one by one: a joint load would be a store-forwarding stall. */
TWO_INLINE gjk_two two_of(const gjk_vec3 *v) {
    return (gjk_two){v->x, v->y};
}
TWO_INLINE gjk_two two_swapped(gjk_two v) {
    return __builtin_shufflevector(v, v, 1, 0);
}
/* Return the dot product, in both numbers or as a scalar. */
TWO_INLINE gjk_two two_dots(gjk_two a, gjk_two b) {
    const gjk_two products = a * b;
    return products + two_swapped(products);
}
TWO_INLINE double two_dot(gjk_two a, gjk_two b) {
    return two_dots(a, b)[0];
}
/* Select between two vectors without a branch: on x not below y, number by number, or on a
 * condition. */
TWO_INLINE gjk_two_bits two_if_not_below(gjk_two x, gjk_two y) {
    return x >= y;
}
TWO_INLINE gjk_two_bits two_if(bool condition) {
    const int64_t mask = -(int64_t)condition;
    return (gjk_two_bits){mask, mask};
}
TWO_INLINE gjk_two two_pick(gjk_two_bits which, gjk_two yes, gjk_two no) {
    return (gjk_two)((which & (gjk_two_bits)yes) | (~which & (gjk_two_bits)no));
}

/* Returns all bits set, or none. For selections on unpredictable conditions: both values are
 * computed and one is masked out. The empty assembly keeps compilers from making it a branch. */
TWO_INLINE gjk_two_bits two_mask(bool condition) {
    int64_t mask = -(int64_t)condition;
    __asm__("" : "+r"(mask));
    return (gjk_two_bits){mask, mask};
}
/* Returns v where the mask is set, else 0. */
TWO_INLINE gjk_two two_masked(gjk_two_bits mask, gjk_two v) {
    return (gjk_two)(mask & (gjk_two_bits)v);
}
/* Returns max(v, 0), number by number. */
TWO_INLINE gjk_two two_positive(gjk_two v) {
    return two_masked(v > two_all(0.0), v);
}

/* A rotation: its cosine and its negated sine, each in both numbers. */
typedef struct gjk_two_turn {
    gjk_two cosine, sine;
} gjk_two_turn;

/* Returns the rotation of a 2D pose. */
TWO_INLINE gjk_two_turn two_turn_of(const gjk_pose *pose) {
    return (gjk_two_turn){two_all(pose->rotation.r0.x), two_all(pose->rotation.r0.y)};
}
/* Returns {y, -x} for {x, y}. */
TWO_INLINE gjk_two two_crossed(gjk_two v) {
    return (gjk_two)((gjk_two_bits)two_swapped(v) ^ (gjk_two_bits){0, INT64_MIN});
}
/* Return v turned, and turned back. */
TWO_INLINE gjk_two two_turned(gjk_two_turn turn, gjk_two v) {
    return turn.cosine * v + turn.sine * two_crossed(v);
}
TWO_INLINE gjk_two two_turned_back(gjk_two_turn turn, gjk_two v) {
    return turn.cosine * v - turn.sine * two_crossed(v);
}

#endif
