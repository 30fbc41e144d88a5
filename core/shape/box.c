/*
 * The separating axis test of the widened boxes of two shapes: boxes in the axes of the world can
 * only be separated along these axes, so it is the widest gap of the three, in either direction.
 */

#include "shape/box.h"

#include "base/larger.h"

double gjk_boxes_gap(const gjk_placed *a, const gjk_placed *b, double tolerance, gjk_vec3 *axis) {
    const gjk_bounds p = gjk_box_of(a), q = gjk_box_of(b);
    const gjk_vec3 after = gjk_sub3(q.min, p.max), before = gjk_sub3(p.min, q.max);
    const double gaps[6] = {after.x, before.x, after.y, before.y, after.z, before.z};
    double widest = 0.0;
    /* what the boxes are not wider by already */
    double more = tolerance - 2.0 * GJK_BOX_TOLERANCE * gjk_larger(a->shape->size, b->shape->size);
    for (int i = 0; i < 2 * (int)a->shape->dimension; i++) {
        if (gaps[i] > widest) {
            const double sign = i % 2 == 0 ? 1.0 : -1.0;
            widest = gaps[i];
            *axis = (gjk_vec3){i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0,
                               i / 2 == 2 ? sign : 0.0};
        }
    }
    return widest > more ? widest : 0.0;
}
