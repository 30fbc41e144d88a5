/*
 * Where may bodies be on their way from one place to another? A tree of the same branches whose
 * boxes hold both ends and all between: the first pass of an edit, in which nobody goes.
 */

#include "tree/motion.h"

#include "base/angle.h"
#include "base/larger.h"
#include "tree/edit_state.h"

#include <stdlib.h>

static gjk_vec3 between3(gjk_vec3 a, gjk_vec3 b, double t) {
    return (gjk_vec3){gjk_between(a.x, b.x, t), gjk_between(a.y, b.y, t), gjk_between(a.z, b.z, t)};
}

gjk_pose gjk_pose_on_way(const gjk_body *from, const gjk_body *next, double alpha,
                         gjk_rotation *turn) {
    const gjk_pose *start = &from->placed.pose, *end = &next->placed.pose;
    gjk_vec3 position = between3(start->position, end->position, alpha);
    *turn = from->turn;
    if (gjk_same_rotation(&start->rotation, &end->rotation)) {
        return (gjk_pose){position, start->rotation};
    }
    gjk_pose pose;
    gjk_status status;
    if (from->placed.shape->dimension == 2) {
        turn->angle = gjk_slerp2(from->turn.angle, next->turn.angle, alpha);
        status = gjk_pose_make2(gjk_xy(position), turn->angle, &pose);
    } else {
        turn->orientation = gjk_slerp3(from->turn.orientation, next->turn.orientation, alpha);
        status = gjk_pose_make3(position, turn->orientation, &pose);
    }
    GJK_ASSERT(status == GJK_OK);
    (void)status;
    return pose;
}

/* The box of a body on its way: where it does not turn, the way is straight and both ends bound
 * it; else any turn keeps it in a ball around its own origin. */
static gjk_bounds box_of_motion(const gjk_placed *from, const gjk_pose *to) {
    const gjk_placed there = {from->shape, *to};
    gjk_bounds here = {from->pose.position, from->pose.position};
    gjk_bounds next = {to->position, to->position};
    double slack = gjk_larger(gjk_box_slack(from), gjk_box_slack(&there));
    double by = 0.125 * slack; /* for the roundings of places on the way */
    if (gjk_same_rotation(&from->pose.rotation, &to->rotation)) {
        here = gjk_box_of(from);
        next = gjk_box_of(&there);
    } else {
        by += slack + 1.75 * gjk_largest3(from->shape->center) + from->shape->bounding_radius;
    }
    return gjk_box_widen(gjk_box_join(&here, &next), from->shape->dimension, by);
}

gjk_status gjk_tree_span(const struct gjk_tree *tree, const gjk_tree_change *changes,
                         uint32_t count, struct gjk_tree **out) {
    gjk_editor e = {.dimension = tree->dimension, .span = true};
    gjk_branch root = gjk_tree_branch(tree), left = {.what = NULL};
    struct gjk_tree *span = malloc(sizeof *span + (size_t)count * sizeof span->motions[0]);
    bool done = span != NULL && gjk_editor_init(&e, changes, count, tree->root->count);
    for (uint32_t i = 0; done && i < count; i++) {
        gjk_op *op = &e.ops[i];
        if (op->from == NULL || op->to == NULL) {
            op->from = NULL;
            continue;
        }
        span->motions[i] = (gjk_motion){op->from, op->to};
        op->motion = &span->motions[i];
        op->box = box_of_motion(&op->from->placed, &op->to->placed.pose);
    }
    done = done && gjk_branch_move(&e, &root, count, &left) &&
           gjk_tree_make(tree->dimension, &left, span) == GJK_OK;
    gjk_editor_fini(&e);
    if (!done) {
        free(span);
        return GJK_OUT_OF_MEMORY;
    }
    span->motion_count = count;
    *out = span;
    return GJK_OK;
}
