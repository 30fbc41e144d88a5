/*
 * The extent of a snapshot from a point: the far side of the farthest bounding ball. The root of
 * the tree would bound it in O(1), but its bounds depend on the history of edits, and the length
 * of a cast may show in the last digits of an answer.
 */

#include "scene/scene.h"

#define ROUNDING 0x1p-48

double gjk_snapshot_extent(const gjk_snapshot *snapshot, gjk_vec3 point, gjk_budget *budget) {
    double farthest = 0.0;
    gjk_set_iterator bodies = gjk_set_iterate(snapshot->set, budget);
    for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
        gjk_placed placed = gjk_snapshot_place(snapshot, body);
        gjk_vec3 center = gjk_pose_apply(&placed.pose, placed.shape->center);
        double apart = gjk_length3(gjk_sub3(center, point));
        farthest = fmax(farthest, apart + placed.shape->bounding_radius);
    }
    return farthest * (1.0 + ROUNDING);
}
