/* Reference counts and statistics of nodes. Edits decide on rebuilding by these statistics. */

#include "tree/node.h"

#include <stdlib.h>

uint32_t gjk_branch_count(const gjk_branch *branch) {
    if (branch->what == NULL) {
        return 0;
    }
    return branch->kind == GJK_BRANCH_NODE ? ((const gjk_tree_node *)branch->what)->count : 1;
}

void gjk_branch_retain(const gjk_branch *branch) {
    if (branch->what != NULL && branch->kind == GJK_BRANCH_NODE) {
        gjk_references_add(&((gjk_tree_node *)branch->what)->references);
    }
}

void gjk_branch_release(const gjk_branch *branch) {
    if (branch->what == NULL || branch->kind != GJK_BRANCH_NODE) {
        return;
    }
    gjk_tree_node *node = (gjk_tree_node *)branch->what;
    if (!gjk_references_drop(&node->references)) {
        return;
    }
    for (uint32_t i = 0; i < node->used; i++) {
        gjk_branch below = gjk_branch_at(node, i);
        gjk_branch_release(&below);
    }
    free(node);
}

void gjk_tree_node_put(gjk_tree_node *node, uint32_t i, const gjk_branch *branch) {
    node->min[0][i] = branch->box.min.x;
    node->min[1][i] = branch->box.min.y;
    node->min[2][i] = branch->box.min.z;
    node->max[0][i] = branch->box.max.x;
    node->max[1][i] = branch->box.max.y;
    node->max[2][i] = branch->box.max.z;
    node->branch[i] = branch->what;
    node->first[i] = branch->first;
    node->last[i] = branch->last;
    node->kind[i] = (uint8_t)branch->kind;
}

gjk_tree_node *gjk_tree_node_new(uint32_t dimension, const gjk_branch *branches, uint32_t count) {
    GJK_ASSERT(count >= 1 && count <= GJK_TREE_WIDTH);
    gjk_tree_node *node = malloc(sizeof *node);
    if (node == NULL) {
        return NULL;
    }
    const gjk_branch none = {.box = gjk_box_empty()};
    gjk_references_init(&node->references);
    node->used = count;
    node->height = 1;
    node->nodes = 1;
    node->count = 0;
    node->load = 0.0;
    gjk_bounds box = none.box;
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        gjk_tree_node_put(node, i, i < count ? &branches[i] : &none);
    }
    for (uint32_t i = 0; i < count; i++) {
        const gjk_tree_node *below = branches[i].what;
        node->count += gjk_branch_count(&branches[i]);
        node->load += gjk_box_measure(&branches[i].box, dimension);
        box = gjk_box_join(&box, &branches[i].box);
        if (branches[i].kind == GJK_BRANCH_NODE) {
            node->nodes += below->nodes;
            node->load += below->load;
            node->height = below->height >= node->height ? below->height + 1 : node->height;
        }
    }
    double measure = gjk_box_measure(&box, dimension);
    node->built_load = measure > 0.0 ? node->load / measure : INFINITY;
    node->built_count = node->count;
    return node;
}

gjk_branch gjk_branch_of_node(const gjk_tree_node *node) {
    gjk_branch branch = {gjk_box_empty(), node, UINT32_MAX, 0, GJK_BRANCH_NODE};
    for (uint32_t i = 0; i < node->used; i++) {
        gjk_branch below = gjk_branch_at(node, i);
        branch.box = gjk_box_join(&branch.box, &below.box);
        branch.first = below.first < branch.first ? below.first : branch.first;
        branch.last = below.last > branch.last ? below.last : branch.last;
    }
    return branch;
}

gjk_branch *gjk_branch_collect(const gjk_branch *branch, gjk_branch *out) {
    if (branch->kind != GJK_BRANCH_NODE) {
        *out = *branch;
        return out + 1;
    }
    const gjk_tree_node *node = branch->what;
    for (uint32_t i = 0; i < node->used; i++) {
        gjk_branch below = gjk_branch_at(node, i);
        out = gjk_branch_collect(&below, out);
    }
    return out;
}
