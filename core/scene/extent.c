/*
 * How far must something fly that shall pass everything? To the far side of the farthest bounding
 * ball. A tree would know sooner, but not the same on the way to every version of a set, and how
 * far something is cast may show in the last digits of an answer.
 */

#include "scene/extent.h"

#define ROUNDING 0x1p-48

double gjk_extent_from(const gjk_snapshot *snapshot, gjk_vec3 point) {
    double farthest = 0.0;
    for (uint32_t i = 0; i < gjk_set_count(snapshot->set); i++) {
        gjk_placed placed = gjk_snapshot_place(snapshot, gjk_set_body(snapshot->set, i));
        gjk_vec3 center = gjk_pose_apply(&placed.pose, placed.shape->center);
        double apart = gjk_length3(gjk_sub3(center, point));
        farthest = fmax(farthest, apart + placed.shape->bounding_radius);
    }
    return farthest * (1.0 + ROUNDING);
}
