/* Poses of bodies in a snapshot: those of the set, or interpolated towards the next set, positions
 * linearly and rotations by slerp. */

#include "base/angle.h"
#include "scene/packed.h"
#include "scene/scene.h"

gjk_snapshot gjk_snapshot_of(const struct gjk_set *set) {
    return (gjk_snapshot){.set = set, .tree = set != NULL ? gjk_set_tree(set) : NULL};
}

static gjk_vec3 between3(gjk_vec3 a, gjk_vec3 b, double t) {
    return (gjk_vec3){gjk_between(a.x, b.x, t), gjk_between(a.y, b.y, t), gjk_between(a.z, b.z, t)};
}

const gjk_body *gjk_snapshot_next(const gjk_snapshot *snapshot, const gjk_body *body) {
    if (snapshot->packed != NULL) {
        return body;
    }
    if (snapshot->next == NULL) {
        return NULL;
    }
    const gjk_body *next = gjk_set_find_handle(snapshot->next, body->handle);
    return next == NULL || next == body || next->teleport ? NULL : next;
}

gjk_pose gjk_pose_between(const gjk_body *from, const gjk_body *next, double alpha) {
    const gjk_pose *start = &from->placed.pose, *end = &next->placed.pose;
    gjk_vec3 position = between3(start->position, end->position, alpha);
    gjk_pose pose = {.position = position};
    if (gjk_same_rotation(&start->rotation, &end->rotation)) {
        gjk_pose_turn_as(&pose, start);
        return pose;
    }
    gjk_status status;
    if (from->placed.shape->dimension == 2) {
        const double angle = gjk_slerp2(gjk_pose_angle(start), gjk_pose_angle(end), alpha);
        status = gjk_pose_make2(gjk_xy(position), angle, &pose);
    } else {
        const gjk_quat turn =
            gjk_slerp3(gjk_pose_orientation(start), gjk_pose_orientation(end), alpha);
        status = gjk_pose_make3(position, turn, &pose);
    }
    GJK_ASSERT(status == GJK_OK);
    (void)status;
    return pose;
}

gjk_pose gjk_snapshot_pose(const gjk_snapshot *snapshot, const gjk_body *body) {
    if (snapshot->packed != NULL) {
        gjk_pose pose = body->placed.pose;
        (void)gjk_packed_pose(snapshot->packed, snapshot->packed_at, snapshot->alpha, body, &pose);
        return pose;
    }
    const gjk_body *next = gjk_snapshot_next(snapshot, body);
    return next != NULL ? gjk_pose_between(body, next, snapshot->alpha) : body->placed.pose;
}

gjk_placed gjk_snapshot_place(const gjk_snapshot *snapshot, const gjk_body *body) {
    return (gjk_placed){body->placed.shape, gjk_snapshot_pose(snapshot, body)};
}
