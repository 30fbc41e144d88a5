/*
 * The points of four triangles nearest to one point, and the directions from them. The candidate
 * point of every Voronoi region is computed (Ericson, Real-Time Collision Detection, 5.1.5); the
 * first region that applies is taken, as in nearest_on_triangle.
 */

#include "base/four_lanes.h"
#include "shape/pieces/pieces.h"

/* As point_between. */
LANES_INLINE lanes3 between(const lanes3 *a, const lanes3 *way, const lanes *of_b,
                            const lanes *of_a) {
    const lanes part = *of_b / (*of_b + *of_a);
    const lanes3 step = scaled(&part, way);
    return sum(a, &step);
}

/* Takes the point where `which` is set. */
LANES_INLINE void take(const lane_bits *which, const lanes3 *point, lanes3 *nearest) {
    *nearest = pick3(which, point, nearest);
}

LANES_INLINE lanes3 nearest_on_triangles(const lanes3 t[3], const lanes3 *p) {
    const lanes3 ab = difference(&t[1], &t[0]), ac = difference(&t[2], &t[0]);
    const lanes3 bc = difference(&t[2], &t[1]);
    const lanes3 ap = difference(p, &t[0]), bp = difference(p, &t[1]), cp = difference(p, &t[2]);
    const lanes d1 = dot(&ab, &ap), d2 = dot(&ac, &ap), d3 = dot(&ab, &bp), d4 = dot(&ac, &bp);
    const lanes d5 = dot(&ab, &cp), d6 = dot(&ac, &cp), zero = all(0.0);
    const lanes of_c = d1 * d4 - d3 * d2, of_b = d5 * d2 - d1 * d6, of_a = d3 * d6 - d5 * d4;
    const lanes whole = of_a + of_b + of_c, to_b = of_b / whole, to_c = of_c / whole;
    const lanes3 by_b = scaled(&to_b, &ab), by_c = scaled(&to_c, &ac), inward = sum(&by_b, &by_c);
    const lanes no_d3 = -d3, no_d6 = -d6, off_b = d4 - d3, off_c = d5 - d6;
    const lanes3 on_ab = between(&t[0], &ab, &d1, &no_d3), on_ac = between(&t[0], &ac, &d2, &no_d6);
    const lanes3 on_bc = between(&t[1], &bc, &off_b, &off_c);
    const lane_bits is_bc = (of_a <= zero) & (off_b >= zero) & (off_c >= zero);
    const lane_bits is_ac = (of_b <= zero) & (d2 >= zero) & (d6 <= zero);
    const lane_bits is_c = (d6 >= zero) & (d5 <= d6);
    const lane_bits is_ab = (of_c <= zero) & (d1 >= zero) & (d3 <= zero);
    const lane_bits is_b = (d3 >= zero) & (d4 <= d3);
    const lane_bits is_a = (d1 <= zero) & (d2 <= zero);
    lanes3 nearest = sum(&t[0], &inward);
    take(&is_bc, &on_bc, &nearest);
    take(&is_ac, &on_ac, &nearest);
    take(&is_c, &t[2], &nearest);
    take(&is_ab, &on_ab, &nearest);
    take(&is_b, &t[1], &nearest);
    take(&is_a, &t[0], &nearest);
    return nearest;
}

LANES_INLINE void find_gaps(const gjk_vec3 *const corners[GJK_PIECES_LEAF][3], gjk_vec3 center,
                            gjk_leaf_gaps *out) {
    const lanes3 t[3] = {corner_of(corners, 0), corner_of(corners, 1), corner_of(corners, 2)};
    const lanes3 p = {all(center.x), all(center.y), all(center.z)};
    const lanes3 nearest = nearest_on_triangles(t, &p);
    lanes3 direction = difference(&p, &nearest);
    const lanes square = dot(&direction, &direction), infinite = all(INFINITY), zero = all(0.0);
    const lane_bits has_direction = (square > all(0x1p-900)) & (square < infinite);
    const lanes length = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    const lanes inverse = 1.0 / length;
    const lanes3 unit = scaled(&inverse, &direction), none = {zero, zero, zero};
    direction = pick3(&has_direction, &unit, &none);
    const lanes at[3] = {dot(&direction, &t[0]), dot(&direction, &t[1]), dot(&direction, &t[2])};
    const lanes later = larger(&at[1], &at[2]), most = larger(&at[0], &later);
    const lanes reach = pick(&has_direction, &most, &infinite);
    memcpy(out->x, &direction.x, sizeof out->x);
    memcpy(out->y, &direction.y, sizeof out->y);
    memcpy(out->z, &direction.z, sizeof out->z);
    memcpy(out->most, &reach, sizeof out->most);
}

gjk_find_gaps *const LANES_FORM(gjk_find_gaps) = find_gaps;
