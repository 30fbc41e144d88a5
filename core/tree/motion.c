/*
 * Trees whose boxes enclose the motions of bodies, both ends and all between: the first pass of an
 * edit, in which no body is removed and the branches stay the same.
 */

#include "base/larger.h"
#include "tree/edit_state.h"

#include <stdlib.h>

/* The box of a motion: a body that does not rotate moves straight and the boxes of both ends bound
 * it; otherwise any rotation keeps it within a ball around its own origin. */
static gjk_bounds box_of_motion(const gjk_placed *from, const gjk_pose *to) {
    const gjk_placed there = {from->shape, *to};
    gjk_bounds here = {from->pose.position, from->pose.position};
    gjk_bounds next = {to->position, to->position};
    double slack = gjk_larger(gjk_box_slack(from), gjk_box_slack(&there));
    double by = 0.125 * slack; /* for the roundings of interpolated positions */
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
