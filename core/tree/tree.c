/*
 * The ownership and the figures of whole trees.
 */

#include "tree/tree.h"
#include "tree/node.h"

#include <stdlib.h>

struct gjk_tree *gjk_tree_retain(const struct gjk_tree *tree) {
    struct gjk_tree *shared = (struct gjk_tree *)tree;
    gjk_references_add(&shared->references);
    return shared;
}

void gjk_tree_release(const struct gjk_tree *tree) {
    struct gjk_tree *shared = (struct gjk_tree *)tree;
    if (shared == NULL || !gjk_references_drop(&shared->references)) {
        return;
    }
    const gjk_branch root = {.what = shared->root, .kind = GJK_BRANCH_NODE};
    gjk_branch_release(&root);
    free(shared);
}

size_t gjk_tree_bytes(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return 0;
    }
    return sizeof *tree + tree->root->nodes * sizeof(gjk_tree_node) +
           tree->motion_count * sizeof(gjk_motion);
}

size_t gjk_tree_added_bytes(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return 0;
    }
    return sizeof *tree + tree->own_nodes * sizeof(gjk_tree_node) +
           tree->motion_count * sizeof(gjk_motion);
}

uint32_t gjk_tree_count(const struct gjk_tree *tree) {
    return tree->root->count;
}

uint32_t gjk_tree_height(const struct gjk_tree *tree) {
    return tree->root->height;
}

double gjk_tree_boxes_met(const struct gjk_tree *tree) {
    double measure = gjk_box_measure(&tree->bounds, tree->dimension);
    double met = 1.0 + tree->root->load / measure;
    return met <= 2.0 * tree->root->count
               ? met
               : 2.0 * tree->root->count; /* where the measure vanishes */
}

gjk_bounds gjk_tree_bounds(const struct gjk_tree *tree) {
    return tree->bounds;
}
