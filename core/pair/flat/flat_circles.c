/*
 * Two circles or points: in closed form, in the world's axes from the first one's position. So little is
 * to be computed that all of it is, whatever the state, which nobody could predict, and masked in the
 * end: a branch on the state would take longer than all of the rest.
 */

#include "pair/flat/view.h"

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

/* The state as the number of limits that the circles are within. */
TWO_INLINE gjk_state count_state(const view *v, double distance) {
    return (gjk_state)((distance <= v->most) + (distance < v->least));
}
_Static_assert(GJK_SEPARATED == 0 && GJK_TOUCHING == 1 && GJK_OVERLAPPING == 2, "counted above");

/* Both points of the circles where the mask is set, else 0. */
TWO_INLINE void write_masked_points(const nearest *at, gjk_two_bits mask, gjk_vec3 *point_a,
                                    gjk_vec3 *point_b) {
    const gjk_two home = two_of(&at->own->pose.position);
    const gjk_two to_a = two_all(at->distance - at->own->shape->radius);
    const gjk_two to_b = two_all(at->other->shape->radius);
    write_vector(two_masked(mask, (at->point - to_a * at->normal) + home), point_a);
    write_vector(two_masked(mask, (at->point - to_b * at->normal) + home), point_b);
}

/* As write_detect and write_distance, without branches. */
TWO_INLINE void write_masked_detect(const view *v, const nearest *at, gjk_state state,
                                    gjk_detect_result *result) {
    const bool is_deep = state != GJK_SEPARATED;
    const gjk_two_bits mask = two_mask(is_deep);
    const gjk_two depth = two_masked(mask, two_positive(two_all(v->radius - at->distance)));
    begin_detect(state, result);
    result->has_points = is_deep;
    result->depth = result->depth_lower_bound = depth[0];
    write_normal(at->normal, false, &result->normal);
    write_masked_points(at, mask, &result->point_a, &result->point_b);
}

TWO_INLINE void write_masked_distance(const view *v, const nearest *at, gjk_state state,
                                      gjk_distance_result *result) {
    const gjk_two_bits mask = two_mask(state != GJK_OVERLAPPING);
    const gjk_two gap = two_masked(mask, two_positive(two_all(at->distance - v->radius)));
    begin_distance(state, result);
    result->distance = result->lower_bound = gap[0];
    write_normal(two_masked(mask, at->normal), false, &result->normal);
    write_masked_points(at, mask, &result->point_a, &result->point_b);
}

bool gjk_flat_detect_circles(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings, gjk_detect_result *result) {
    const view v = view_of(a, b, settings->tolerance);
    nearest at;
    if (!find_nearest(a, b, &v, &at)) {
        return gjk_detect_general(a, b, settings, result);
    }
    const gjk_state state = count_state(&v, at.distance);
    if (settings->penetration) {
        write_masked_detect(&v, &at, state, result);
    } else {
        write_state(state, result);
    }
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
