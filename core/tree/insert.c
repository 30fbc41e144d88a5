/*
 * Insertion by least enlargement (Guttman 1984): each inserted body descends to the branch whose
 * box grows least, unless the node has a free slot and no branch is near.
 */

#include "tree/edit_state.h"

/* How much the measure of a branch's box grows by an inserted body. */
static double growth(const gjk_branch *branch, const gjk_op *op, uint32_t dimension) {
    gjk_bounds both = gjk_box_join(&branch->box, &op->box);
    return gjk_box_measure(&both, dimension) - gjk_box_measure(&branch->box, dimension);
}

static uint32_t handle_gap(const gjk_branch *branch, const gjk_op *op) {
    uint32_t handle = op->to->handle;
    return handle < branch->first  ? branch->first - handle
           : handle > branch->last ? handle - branch->last
                                   : 0;
}

/* The branch that grows least; among equals the one with the nearest handles. */
static uint32_t find_host(const gjk_editor *e, const gjk_branch *branches, uint32_t count,
                          const gjk_op *op) {
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double by = growth(&branches[i], op, e->dimension);
        if (by < least ||
            (by == least && handle_gap(&branches[i], op) < handle_gap(&branches[best], op))) {
            best = i;
            least = by;
        }
    }
    return best;
}

/* Assigns each inserted body to a free slot of its own if no branch is near, else to a branch,
 * whose box grows by it. Leaves a mask of that branch for each op on the stack. */
static bool assign_branches(gjk_editor *e, gjk_ops ops, gjk_branch *branches, uint32_t *count) {
    for (uint32_t k = 0; k < ops.count; k++) {
        const gjk_op *op = gjk_op_at(e, ops, k);
        uint32_t host = find_host(e, branches, *count, op), mask = 0;
        if (*count < GJK_TREE_WIDTH &&
            growth(&branches[host], op, e->dimension) >= gjk_box_measure(&op->box, e->dimension)) {
            uint32_t handle = op->to->handle;
            branches[(*count)++] = (gjk_branch){op->box, op->to, handle, handle, GJK_BRANCH_BODY};
        } else {
            branches[host].box = gjk_box_join(&branches[host].box, &op->box);
            mask = 1u << host;
        }
        if (!gjk_ops_push(e, mask)) {
            return false;
        }
    }
    return true;
}

bool gjk_branch_insert(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out) {
    if (gjk_budget_spend(e->budget, 16)) {
        return false;
    }
    if (ops.count >= gjk_branch_count(branch)) {
        return ops.count == 0 || gjk_branch_rebuild(e, branch, ops, out);
    }
    if (ops.count == 0) {
        gjk_branch_retain(branch);
        *out = *branch;
        return true;
    }
    const gjk_tree_node *node = branch->what;
    GJK_ASSERT(branch->kind == GJK_BRANCH_NODE && node != NULL && node->used >= 1);
    gjk_branch left[GJK_TREE_WIDTH];
    uint32_t count = node->used, inserted = 0;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = gjk_branch_at(node, i);
    }
    size_t masks = e->top;
    bool done = assign_branches(e, ops, left, &count);
    for (uint32_t i = 0; done && i < count; i++) {
        size_t top = e->top;
        gjk_ops mine;
        gjk_branch below = i < node->used ? gjk_branch_at(node, i) : left[i];
        done =
            gjk_ops_select(e, ops, masks, i, &mine) && gjk_branch_insert(e, &below, mine, &left[i]);
        inserted += done;
        e->top = top;
    }
    e->top = masks;
    if (!done) {
        gjk_branches_release(left, inserted);
        return false;
    }
    return gjk_branch_compose(e, node, left, count, out);
}
