/* Two circles or points, in closed form: the vector between the centres and its length tell all. In the
 * world's axes, from the first one's position, and without branches on the state (masked.h). */

#include "pair/flat/masked.h"

/* False: nearly concentric, where no direction is better than another. The same whichever of the two
 * comes first. */
TWO_INLINE bool find_nearest(const gjk_placed *a, const gjk_placed *b, const view *v, nearest *at) {
    const double *p = a->shape->columns, *q = b->shape->columns;
    const gjk_two of_a = two_turned(two_turn_of(&a->pose), (gjk_two){p[0], p[GJK_LANES]});
    const gjk_two of_b = two_turned(two_turn_of(&b->pose), (gjk_two){q[0], q[GJK_LANES]});
    const gjk_two between = (of_b - of_a) + v->between;
    at->distance = sqrt(two_dot(between, between));
    at->normal = between / two_all(at->distance);
    at->point = of_a + between;
    at->own = a;
    at->other = b;
    at->is_back = false;
    return v->is_ordinary & (at->distance > 16.0 * v->rounding) & (at->distance >= 0x1p-400);
}

bool gjk_flat_detect_circles(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings, gjk_detect_result *result) {
    const view v = view_of(a, b, settings->tolerance);
    nearest at;
    if (!find_nearest(a, b, &v, &at)) {
        return gjk_detect_general(a, b, settings, result);
    }
    tell_masked_detect(&v, &at, settings, result);
    return true;
}

bool gjk_flat_distance_circles(const gjk_placed *a, const gjk_placed *b,
                               const gjk_distance_settings *settings, gjk_distance_result *result) {
    const view v = view_of(a, b, settings->tolerance);
    nearest at;
    if (!find_nearest(a, b, &v, &at)) {
        return gjk_distance_general(a, b, settings, result);
    }
    write_masked_distance(&v, &at, count_state(&v, at.distance), result);
    return true;
}
