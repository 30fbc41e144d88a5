/*
 * In which unit of length is a pair computed? Solvers multiply up to four lengths;
 * from about 1e75 up that overflows and from 1e-75 down it vanishes. A power of
 * two changes only exponents, so the answer's bits are the same as without it.
 */

#include "pair/pair_unit.h"

#include "base/larger.h"

double gjk_unit_of(double magnitude) {
    if (gjk_unit_is_one(magnitude)) {
        return 1.0;
    }
    int exponent;
    (void)frexp(magnitude, &exponent);
    /* Not below 2^-1000: a length of 2^1000 would itself overflow there. */
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

double gjk_pair_unit(const gjk_placed *a, const gjk_placed *b) {
    gjk_vec3 p = a->pose.position, q = b->pose.position;
    double apart = gjk_larger(fabs(q.x - p.x), gjk_larger(fabs(q.y - p.y), fabs(q.z - p.z)));
    return gjk_unit_of(gjk_larger(apart, gjk_larger(a->shape->reach, b->shape->reach)));
}
