/* Rejection test of four triangles, one in each lane. */

#include "base/four_lanes.h"
#include "ray/misses.h"

/* Axes whose squared length is less are not used. */
#define SQUARE_LEAST 0x1p-900

/*
 * Tries separating axes (Gottschalk, Lin, Manocha, OBBTree, 1996) of the triangle and the prism
 * swept by the segments: the way, the triangle's normal, and the cross products of the way with
 * edges and segments. A gap along an axis a is the distance gap / |a|; its square is compared with
 * the squared radius.
 */

/* Returns the lanes whose triangle the axis separates from the swept volume. */
LANES_INLINE lane_bits separated(const gjk_swept *swept, const lanes3 *axis, const lanes3 corner[3],
                                 double bound) {
    const lanes p = dot(axis, &corner[0]), q = dot(axis, &corner[1]), r = dot(axis, &corner[2]);
    const lanes less = smaller(&p, &q), more = larger(&p, &q), none = all(0.0);
    const lanes low = smaller(&less, &r), high = larger(&more, &r);
    const lanes end = bound * along(axis, swept->way);
    lanes reach = none;
    for (uint32_t k = 0; k < swept->half_count; k++) {
        const lanes part = along(axis, swept->half[k]);
        reach += absolute(&part);
    }
    const lanes before = smaller(&none, &end) - reach - high;
    const lanes beyond = low - larger(&none, &end) - reach;
    const lanes gap = larger(&before, &beyond);
    const lanes least = swept->radius * swept->radius * dot(axis, axis);
    return (gap > none) & (least > SQUARE_LEAST) & (gap * gap > least);
}

LANES_INLINE uint32_t sweep_misses(const gjk_swept *swept,
                                   const gjk_vec3 *const corners[GJK_MISS_LANES][3], double bound) {
    const lanes3 center = all3(swept->center), way = all3(swept->way);
    const lanes3 at[3] = {corner_of(corners, 0), corner_of(corners, 1), corner_of(corners, 2)};
    const lanes3 corner[3] = {difference(&at[0], &center), difference(&at[1], &center),
                              difference(&at[2], &center)};
    const lanes3 edge[3] = {difference(&at[1], &at[0]), difference(&at[2], &at[1]),
                            difference(&at[0], &at[2])};
    const lanes3 normal = cross(&edge[0], &edge[1]);
    lane_bits misses =
        separated(swept, &normal, corner, bound) | separated(swept, &way, corner, bound);
    for (uint32_t k = 0; k < swept->half_count; k++) {
        const lanes3 half = all3(swept->half[k]), axis = cross(&way, &half);
        misses |= separated(swept, &axis, corner, bound);
    }
    for (int i = 0; i < 3; i++) {
        const lanes3 axis = cross(&way, &edge[i]);
        misses |= separated(swept, &axis, corner, bound);
    }
    return bits_of(&misses);
}

gjk_sweep_misses *const LANES_FORM(gjk_sweep_misses) = sweep_misses;
