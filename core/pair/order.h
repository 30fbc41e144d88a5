#ifndef GJK_PAIR_ORDER_H
#define GJK_PAIR_ORDER_H

/* Chooses the shape in whose frame a query is solved: by what the shapes are, not by which of them
 * the caller names first, so every answer is independent of that order. */

#include "gjk/shape.h"

/* Orders two shapes of equal size, likewise. */
bool gjk_comes_first_alike(const gjk_placed *a, const gjk_placed *b);

/* Returns true if a is to be the first of the two; true too where nothing tells them apart. */
static inline bool gjk_comes_first(const gjk_placed *a, const gjk_placed *b) {
    const uint8_t flat_a = a->shape->flat, flat_b = b->shape->flat;
    if (flat_a + flat_b == GJK_FLAT_POINT + GJK_FLAT_POLYGON) { /* edges need no turning then */
        return flat_a == GJK_FLAT_POLYGON;
    }
    const double of_a = a->shape->size, of_b = b->shape->size;
    return __builtin_expect(of_a != of_b, 1) ? of_a > of_b : gjk_comes_first_alike(a, b);
}

#endif
