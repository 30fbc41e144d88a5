/*
 * Edits of a tree by path copying: branches with changes are copied, all others are shared. Two
 * passes: the first finds the removed and moved bodies (move.c), the second inserts the others
 * (insert.c); on the way back up each changed branch is composed again, or rebuilt where it has
 * degraded (rebuild.c).
 */

#include "tree/edit_state.h"

#include <stdlib.h>

static bool run(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out) {
    gjk_branch left = {.what = NULL};
    if (root->what != NULL && !gjk_branch_move(e, root, count, &left)) {
        return false;
    }
    gjk_ops inserted = gjk_ops_list(e, count, false);
    bool done = gjk_branch_insert(e, &left, inserted, out);
    gjk_branch_release(&left);
    return done;
}

/* Counts the nodes not shared with any tree. The edited tree must still hold its own. */
static uint32_t count_own(const gjk_tree_node *node) {
    uint32_t count = 1;
    if (!gjk_references_only(&node->references)) {
        return 0;
    }
    for (uint32_t i = 0; i < node->used; i++) {
        count += node->kind[i] == GJK_BRANCH_NODE ? count_own(node->branch[i]) : 0;
    }
    return count;
}

gjk_status gjk_tree_make(uint32_t dimension, const gjk_branch *branch, struct gjk_tree *tree) {
    const gjk_tree_node *node = branch->what;
    if (branch->kind != GJK_BRANCH_NODE) {
        node = gjk_tree_node_new(dimension, branch, 1);
    }
    gjk_references_init(&tree->references);
    tree->dimension = dimension;
    tree->root = node;
    tree->bounds = branch->box;
    tree->motion_count = 0;
    tree->own_nodes = node != NULL ? count_own(node) : 0;
    return node != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
}

gjk_branch gjk_tree_branch(const struct gjk_tree *tree) {
    if (tree == NULL) {
        return (gjk_branch){.what = NULL};
    }
    return tree->root->count == 1 ? gjk_branch_at(tree->root, 0) : gjk_branch_of_node(tree->root);
}

gjk_status gjk_tree_edit(const struct gjk_tree *tree, uint32_t dimension,
                         const gjk_tree_change *changes, uint32_t count, gjk_budget *budget,
                         struct gjk_tree **out) {
    gjk_editor e = {.dimension = dimension, .budget = budget};
    gjk_branch root = gjk_tree_branch(tree), left = {.what = NULL};
    *out = NULL;
    struct gjk_tree *edited = malloc(sizeof *edited);
    bool done = edited != NULL && gjk_editor_init(&e, changes, count, gjk_branch_count(&root)) &&
                run(&e, &root, count, &left);
    gjk_editor_fini(&e);
    if (done && left.what == NULL) {
        free(edited);
        return GJK_OK;
    }
    if (!done || gjk_tree_make(dimension, &left, edited) != GJK_OK) {
        free(edited);
        return gjk_budget_is_spent(e.budget) ? GJK_GIVEN_UP : GJK_OUT_OF_MEMORY;
    }
    *out = edited;
    return GJK_OK;
}
