/*
 * Depth-first branch and bound: the children of a node are visited by ascending key, each to its
 * end before the next. The caller lowers the bound as it finds answers, and entries whose keys
 * exceed the bound by then are skipped. The stack holds, for each level, the children of one node
 * except the one being visited.
 */

#include "tree/walk.h"

/* Makes squares of distances compare as the distances would, in spite of their roundings. */
#define SQUARE_SLACK (1.0 + 0x1p-48)
#define SQUARE_LEAST 0x1p-1060

/* Steps of a node that is opened, or of a body that is found. */
#define NODE_STEPS 2

void gjk_tree_walk_init(gjk_tree_walk *walk, gjk_budget *budget) {
    walk->budget = budget;
    walk->top = 0;
}

void gjk_tree_walk_aim(gjk_tree_walk *walk, const struct gjk_tree *tree,
                       const gjk_query_bounds *query, double distance) {
    walk->query = *query;
    walk->top = 0;
    gjk_tree_walk_narrow(walk, distance);
    if (tree != NULL) {
        walk->stack[walk->top++] = (gjk_tree_walk_entry){0.0, tree->root, GJK_BRANCH_NODE};
    }
}

void gjk_tree_walk_narrow(gjk_tree_walk *walk, double distance) {
    walk->bound = walk->query.kind == GJK_QUERY_NEAR
                      ? distance * distance * SQUARE_SLACK + SQUARE_LEAST
                      : distance;
}

/* Pushes the branches of a node that the query meets, the least key on top (insertion sort). */
static void open_node(gjk_tree_walk *walk, const gjk_tree_node *node) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    uint32_t bottom = walk->top;
    uint32_t mask = gjk_tree_node_keys(node, &walk->query, walk->bound, keys);
    GJK_CHECK(bottom + node->used <= GJK_TREE_WALK_STACK);
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        uint32_t at = walk->top++;
        while (at > bottom && walk->stack[at - 1].key < keys[i]) {
            walk->stack[at] = walk->stack[at - 1];
            at--;
        }
        walk->stack[at] =
            (gjk_tree_walk_entry){keys[i], node->branch[i], (gjk_branch_kind)node->kind[i]};
    }
}

bool gjk_tree_walk_next(gjk_tree_walk *walk, gjk_leaf *leaf) {
    while (walk->top > 0 && !gjk_budget_spend(walk->budget, NODE_STEPS)) {
        const gjk_tree_walk_entry entry = walk->stack[--walk->top];
        if (entry.key > walk->bound) {
            continue;
        }
        if (entry.kind == GJK_BRANCH_NODE) {
            open_node(walk, entry.what);
            continue;
        }
        *leaf = gjk_leaf_of(entry.kind, entry.what);
        return true;
    }
    return false;
}
