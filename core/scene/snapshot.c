/*
 * Where do the bodies of a set stand at a moment? Where they stood, or some of the way to where
 * the next set has them.
 */

#include "gjk/snapshot.h"

#include "tree/motion.h"
#include "tree/tree.h"

gjk_snapshot gjk_snapshot_of(const struct gjk_set *set) {
    return (gjk_snapshot){.set = set, .tree = set != NULL ? gjk_set_tree(set) : NULL};
}

/* The body that tells where `body` goes; NULL: it stays. */
static const gjk_body *find_next(const gjk_snapshot *snapshot, const gjk_body *body) {
    if (snapshot->next == NULL) {
        return NULL;
    }
    const gjk_body *next = gjk_set_find_handle(snapshot->next, body->handle);
    return next == NULL || next == body || next->teleport ? NULL : next;
}

gjk_pose gjk_snapshot_pose(const gjk_snapshot *snapshot, const gjk_body *body, gjk_rotation *turn) {
    const gjk_body *next = find_next(snapshot, body);
    *turn = body->turn;
    return next != NULL ? gjk_pose_on_way(body, next, snapshot->alpha, turn) : body->placed.pose;
}

gjk_placed gjk_snapshot_place(const gjk_snapshot *snapshot, const gjk_body *body) {
    gjk_rotation turn;
    return (gjk_placed){body->placed.shape, gjk_snapshot_pose(snapshot, body, &turn)};
}
