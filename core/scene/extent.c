/*
 * The extent of a snapshot from a point: the far side of the farthest bounding ball. The root of
 * the tree would bound it in O(1), but its bounds depend on the history of edits, and the length
 * of a cast may show in the last digits of an answer.
 */

#include "scene/scene.h"

#define ROUNDING 0x1p-48

double gjk_snapshot_extent(const gjk_snapshot *snapshot, gjk_vec3 point) {
    double farthest = 0.0;
    const gjk_body *batch[GJK_SET_WALK_BATCH];
    const uint32_t count = gjk_set_count(snapshot->set);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = i % GJK_SET_WALK_BATCH, left = count - i;
        if (at == 0) {
            gjk_set_list(snapshot->set, i, left < GJK_SET_WALK_BATCH ? left : GJK_SET_WALK_BATCH,
                         batch);
        }
        gjk_placed placed = gjk_snapshot_place(snapshot, batch[at]);
        gjk_vec3 center = gjk_pose_apply(&placed.pose, placed.shape->center);
        double apart = gjk_length3(gjk_sub3(center, point));
        farthest = fmax(farthest, apart + placed.shape->bounding_radius);
    }
    return farthest * (1.0 + ROUNDING);
}
