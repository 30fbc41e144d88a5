#ifndef GJK_PAIR_ORDER_H
#define GJK_PAIR_ORDER_H

/* Chooses the shape in whose frame a query is solved from the shapes themselves, so that no answer
 * depends on the order in which the caller names them. */

#include "gjk/shape.h"

/* Returns true if a comes first; both shapes have the same size. */
bool gjk_comes_first_alike(const gjk_placed *a, const gjk_placed *b);

/* Returns true if a comes first, also if the two are indistinguishable. */
static inline bool gjk_comes_first(const gjk_placed *a, const gjk_placed *b) {
    const uint8_t flat_a = a->shape->flat, flat_b = b->shape->flat;
    if (flat_a + flat_b == GJK_FLAT_POINT + GJK_FLAT_POLYGON) { /* avoids rotating the edges */
        return flat_a == GJK_FLAT_POLYGON;
    }
    const double of_a = a->shape->size, of_b = b->shape->size;
    return __builtin_expect(of_a != of_b, 1) ? of_a > of_b : gjk_comes_first_alike(a, b);
}

#endif
