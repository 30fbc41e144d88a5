/*
 * Partial rebuilding (Overmars 1983) of changed branches: a branch is rebuilt when a random ray
 * that meets it would meet DEGRADED_LOAD times as many boxes in it as when it was built, when the
 * number of its bodies has grown or shrunk by more than DEGRADED_COUNT times, or when it is too
 * high.
 */

#include "tree/edit_state.h"

#include <stdlib.h>

#define DEGRADED_LOAD 1.5
#define DEGRADED_COUNT 2

void gjk_branches_release(const gjk_branch *branches, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        gjk_branch_release(&branches[i]);
    }
}

bool gjk_branch_rebuild(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out) {
    uint32_t count = gjk_branch_count(branch) + ops.count;
    gjk_branch *bodies = malloc((size_t)count * sizeof *bodies);
    if (bodies == NULL) {
        return false;
    }
    gjk_branch *end = branch->what != NULL ? gjk_branch_collect(branch, bodies) : bodies;
    for (uint32_t i = 0; i < ops.count; i++) {
        const gjk_op *op = gjk_op_at(e, ops, i);
        *end++ = (gjk_branch){op->box, op->to, op->to->handle, op->to->handle, GJK_BRANCH_BODY};
    }
    bool built = gjk_tree_build(e->dimension, bodies, count, e->budget, out);
    free(bodies);
    return built;
}

static uint32_t height_limit(uint32_t count) {
    uint32_t digits = 0;
    for (uint32_t rest = count; rest > 0; rest >>= 1) {
        digits++;
    }
    return GJK_TREE_HEIGHT_SPARE + digits;
}

static bool is_degraded(const gjk_tree_node *node, double measure) {
    return node->height > height_limit(node->count) ||
           node->load > DEGRADED_LOAD * node->built_load * measure ||
           node->count / DEGRADED_COUNT > node->built_count ||
           node->built_count / DEGRADED_COUNT > node->count;
}

bool gjk_branch_compose(gjk_editor *e, const gjk_tree_node *before, const gjk_branch *left,
                        uint32_t count, gjk_branch *out) {
    if (count <= 1) {
        *out = count == 1 ? left[0] : (gjk_branch){.what = NULL};
        return true;
    }
    gjk_tree_node *node = gjk_tree_node_new(e->dimension, left, count);
    if (node == NULL) {
        gjk_branches_release(left, count);
        return false;
    }
    *out = gjk_branch_of_node(node);
    node->built_load = before->built_load;
    node->built_count = before->built_count;
    if (e->span || !is_degraded(node, gjk_box_measure(&out->box, e->dimension))) {
        return true;
    }
    gjk_branch degraded = *out;
    bool built = gjk_branch_rebuild(e, &degraded, (gjk_ops){0, 0}, out);
    gjk_branch_release(&degraded);
    return built;
}
