#ifndef GJK_PAIR_KERNELS_FLAT_MASKED_H
#define GJK_PAIR_KERNELS_FLAT_MASKED_H

/*
 * Answers without branches: every member is computed whatever the state of the pair, and those that
 * the state leaves out are set to 0 by a bit mask. For pairs that take so few instructions that a
 * mispredicted branch on the state, which is as good as random, would cost more than all of them.
 */

#include "pair/kernels/flat_view.h"

/* The state as the number of limits that the pair is within. */
TWO_INLINE gjk_state count_state(const view *v, double distance) {
    return (gjk_state)((distance <= v->most) + (distance < v->least));
}
_Static_assert(GJK_SEPARATED == 0 && GJK_TOUCHING == 1 && GJK_OVERLAPPING == 2, "counted above");

/* Both points of the rounded shapes where the mask is set, else 0. */
TWO_INLINE void write_masked_points(const nearest *at, gjk_two_bits mask, gjk_vec3 *point_a,
                                    gjk_vec3 *point_b) {
    const gjk_two home = two_of(&at->own->pose.position);
    const gjk_two to_a = two_all(at->distance - at->own->shape->radius);
    const gjk_two to_b = two_all(at->other->shape->radius);
    write_vector(two_masked(mask, (at->point - to_a * at->normal) + home), point_a);
    write_vector(two_masked(mask, (at->point - to_b * at->normal) + home), point_b);
}

/* The same members as write_detect and write_distance of flat_view.h set, computed without branches. */
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

/* Writes what was found, as the settings ask for it. */
TWO_INLINE void tell_masked_detect(const view *v, const nearest *at,
                                   const gjk_detect_settings *settings, gjk_detect_result *result) {
    const gjk_state state = count_state(v, at->distance);
    if (settings->penetration) {
        write_masked_detect(v, at, state, result);
    } else {
        write_state(state, result);
    }
}

#endif
