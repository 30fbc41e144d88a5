/*
 * Removed and moved bodies. They are found by their boxes and handles, or, where they are many, by
 * looking up every body of the tree in the hash table. A body that moved a little has its box
 * refitted where it is; one that moved far is removed here and inserted again.
 */

#include "tree/edit_state.h"

/* Returns true if a box lies no farther outside of another than that is wide. */
static bool is_near(const gjk_bounds *box, const gjk_bounds *home) {
    gjk_vec3 side = gjk_sub3(home->max, home->min);
    gjk_bounds wide = {gjk_sub3(home->min, side), gjk_add3(home->max, side)};
    return gjk_box_holds(&wide, box);
}

/* The branch of a body after its op; `what` is NULL where it is removed. */
static gjk_branch apply(const gjk_editor *e, gjk_op *op, const gjk_branch *body,
                        const gjk_bounds *home) {
    gjk_branch moved = *body;
    op->from = NULL;
    if (op->to == NULL || (!e->span && !is_near(&op->box, home))) {
        return (gjk_branch){.what = NULL};
    }
    moved.box = op->box;
    moved.what = op->to;
    moved.first = moved.last = op->to->handle;
    if (e->span) {
        moved.what = op->motion;
        moved.kind = GJK_BRANCH_MOTION;
    }
    op->to = NULL;
    return moved;
}

/* The same where the op of the body is searched among some. */
static gjk_branch move_body(gjk_editor *e, const gjk_branch *body, gjk_ops ops,
                            const gjk_bounds *home) {
    for (uint32_t i = 0; i < ops.count; i++) {
        gjk_op *op = gjk_op_at(e, ops, i);
        if (op->from == body->what) {
            return apply(e, op, body, home);
        }
    }
    return *body;
}

static gjk_branch look_up(gjk_editor *e, const gjk_branch *body, const gjk_bounds *home) {
    gjk_op *op = gjk_op_look_up(e, body->what);
    return op != NULL ? apply(e, op, body, home) : *body;
}

/* Applies the ops of all bodies below a branch, which the table finds. */
static bool look_up_all(gjk_editor *e, const gjk_branch *branch, const gjk_bounds *home,
                        gjk_branch *out) {
    if (branch->kind != GJK_BRANCH_NODE) {
        *out = branch->kind == GJK_BRANCH_BODY ? look_up(e, branch, home) : *branch;
        return true;
    }
    const gjk_tree_node *node = branch->what;
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = 0;
    bool changed = false;
    for (uint32_t i = 0; i < node->used; i++) {
        gjk_branch below = gjk_branch_at(node, i);
        if (!look_up_all(e, &below, &branch->box, &left[count])) {
            gjk_branches_release(left, count);
            return false;
        }
        changed = changed || left[count].what != below.what;
        count += left[count].what != NULL;
    }
    if (changed) {
        return gjk_branch_compose(e, node, left, count, out);
    }
    gjk_branches_release(left, count);
    gjk_branch_retain(branch);
    *out = *branch;
    return true;
}

/* Leaves on the stack, for each op, a mask of the branches that may hold its body. */
static bool mask_moves(gjk_editor *e, const gjk_tree_node *node, gjk_ops ops) {
    gjk_query_bounds query = {.kind = GJK_QUERY_OVERLAP, .dimension = e->dimension};
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    for (uint32_t k = 0; k < ops.count; k++) {
        const gjk_op *op = gjk_op_at(e, ops, k);
        const uint32_t handle = op->from->handle;
        uint32_t mask = 0;
        gjk_query_bounds_put_box(&query, &op->was);
        uint32_t met = gjk_tree_node_keys(node, &query, 0.0, keys);
        for (; met != 0; met &= met - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(met);
            const bool may_hold = node->first[i] <= handle && handle <= node->last[i];
            mask |= (uint32_t)may_hold << i;
        }
        if (!gjk_ops_push(e, mask)) {
            return false;
        }
    }
    return true;
}

static bool move_node(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out);

static bool move_branch(gjk_editor *e, const gjk_branch *branch, gjk_ops ops,
                        const gjk_bounds *home, gjk_branch *out) {
    ops = gjk_ops_drop_done(e, ops);
    if (branch->kind == GJK_BRANCH_NODE && ops.count > 0) {
        return move_node(e, branch, ops, out);
    }
    gjk_branch_retain(branch);
    *out = branch->kind == GJK_BRANCH_BODY ? move_body(e, branch, ops, home) : *branch;
    return true;
}

static bool move_node(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out) {
    const gjk_tree_node *node = branch->what;
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = 0;
    size_t masks = e->top;
    bool done = mask_moves(e, node, ops);
    for (uint32_t i = 0; done && i < node->used; i++) {
        size_t top = e->top;
        gjk_branch below = gjk_branch_at(node, i);
        gjk_ops mine;
        done = gjk_ops_select(e, ops, masks, i, &mine) &&
               move_branch(e, &below, mine, &branch->box, &left[count]);
        count += done && left[count].what != NULL;
        e->top = top;
    }
    e->top = masks;
    if (!done) {
        gjk_branches_release(left, count);
        return false;
    }
    return gjk_branch_compose(e, node, left, count, out);
}

bool gjk_branch_move(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out) {
    return e->table != NULL ? look_up_all(e, root, &root->box, out)
                            : move_branch(e, root, gjk_ops_list(e, count, true), &root->box, out);
}
