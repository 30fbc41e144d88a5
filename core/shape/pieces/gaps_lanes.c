/* The directions from the triangles of a leaf to one point. */

#include "shape/pieces/leaf.h"

LANES_INLINE void find_gaps(const gjk_vec3 *const corners[GJK_PIECES_LEAF][3], gjk_vec3 center,
                            gjk_leaf_gaps *out) {
    const lanes3 t[3] = {corner_of(corners, 0), corner_of(corners, 1), corner_of(corners, 2)};
    const lanes3 p = all3(center);
    lane_bits is_inside;
    const lanes3 nearest = nearest_on_triangles(t, &p, &is_inside), off = difference(&p, &nearest);
    const lanes square = dot(&off, &off);
    const leaf_gaps gaps = gaps_along(t, &off, &square);
    memcpy(out->x, &gaps.direction.x, sizeof out->x);
    memcpy(out->y, &gaps.direction.y, sizeof out->y);
    memcpy(out->z, &gaps.direction.z, sizeof out->z);
    memcpy(out->most, &gaps.most, sizeof out->most);
}

gjk_find_gaps *const LANES_FORM(gjk_find_gaps) = find_gaps;
