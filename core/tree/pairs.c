/*
 * Whose boxes meet, in one tree or between two? Both sides go down together: the branches of
 * one node that meet the other's box are held against the other's branches. It is as deep as
 * the higher tree, at most GJK_TREE_HEIGHT_MAX.
 */

#include "tree/pairs.h"

#include "tree/keys.h"

typedef struct gjk_pairing {
    gjk_query_bounds probe; /* its box changes from node to node */
    gjk_pair_visitor visit;
    void *user;
} gjk_pairing;

static gjk_pairing make_pairing(const struct gjk_tree *tree, double looseness,
                                gjk_pair_visitor visit, void *user) {
    return (gjk_pairing){
        .probe = {.kind = GJK_QUERY_OVERLAP, .dimension = tree->dimension, .looseness = looseness},
        .visit = visit,
        .user = user,
    };
}

/* The branches of a node that meet a box. */
static uint32_t meeting(gjk_pairing *p, const gjk_tree_node *node, const gjk_bounds *box) {
    double keys[GJK_TREE_WIDTH];
    if (p->probe.looseness > 0.0) {
        double side = gjk_largest3(gjk_sub3(box->max, box->min));
        gjk_bounds wide = gjk_box_widen(*box, p->probe.dimension, p->probe.looseness * side);
        gjk_query_bounds_put_box(&p->probe, &wide);
    } else {
        gjk_query_bounds_put_box(&p->probe, box);
    }
    return gjk_query_bounds_node(&p->probe, node, 0.0, keys);
}

static gjk_leaf leaf_of(const gjk_branch *branch) {
    if (branch->kind == GJK_BRANCH_MOTION) {
        const gjk_motion *motion = branch->what;
        return (gjk_leaf){motion->from, motion->to};
    }
    return (gjk_leaf){branch->what, NULL};
}

static bool meet(gjk_pairing *p, const gjk_branch *a, const gjk_branch *b);

/* Pairs of a branch with the branches of a node, in the order wanted. */
static bool meet_node(gjk_pairing *p, const gjk_branch *one, const gjk_tree_node *node,
                      bool one_first) {
    bool goes_on = true;
    for (uint32_t mask = meeting(p, node, &one->box); goes_on && mask != 0; mask &= mask - 1) {
        const gjk_branch other = gjk_branch_at(node, (uint32_t)__builtin_ctz(mask));
        goes_on = one_first ? meet(p, one, &other) : meet(p, &other, one);
    }
    return goes_on;
}

static bool meet(gjk_pairing *p, const gjk_branch *a, const gjk_branch *b) {
    if (a->kind != GJK_BRANCH_NODE && b->kind != GJK_BRANCH_NODE) {
        const gjk_leaf first = leaf_of(a), second = leaf_of(b);
        return p->visit(p->user, &first, &second);
    }
    if (b->kind != GJK_BRANCH_NODE) {
        return meet_node(p, b, a->what, false);
    }
    if (a->kind != GJK_BRANCH_NODE) {
        return meet_node(p, a, b->what, true);
    }
    const gjk_tree_node *node = a->what;
    bool goes_on = true;
    for (uint32_t mask = meeting(p, node, &b->box); goes_on && mask != 0; mask &= mask - 1) {
        const gjk_branch below = gjk_branch_at(node, (uint32_t)__builtin_ctz(mask));
        goes_on = meet_node(p, &below, b->what, true);
    }
    return goes_on;
}

static bool pair_within(gjk_pairing *p, const gjk_tree_node *node) {
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < node->used; i++) {
        const gjk_branch branch = gjk_branch_at(node, i);
        if (branch.kind == GJK_BRANCH_NODE) {
            goes_on = pair_within(p, branch.what);
        }
        uint32_t behind = ((1u << node->used) - 1) & ~((2u << i) - 1);
        uint32_t mask = behind != 0 ? meeting(p, node, &branch.box) & behind : 0;
        for (; goes_on && mask != 0; mask &= mask - 1) {
            const gjk_branch other = gjk_branch_at(node, (uint32_t)__builtin_ctz(mask));
            goes_on = meet(p, &branch, &other);
        }
    }
    return goes_on;
}

void gjk_tree_pairs_within(const struct gjk_tree *tree, double looseness, gjk_pair_visitor visit,
                           void *user) {
    gjk_pairing p = make_pairing(tree, looseness, visit, user);
    (void)pair_within(&p, tree->root);
}

void gjk_tree_pairs_between(const struct gjk_tree *a, const struct gjk_tree *b, double looseness,
                            gjk_pair_visitor visit, void *user) {
    gjk_pairing p = make_pairing(a, looseness, visit, user);
    const gjk_branch first = {.box = a->bounds, .what = a->root, .kind = GJK_BRANCH_NODE};
    const gjk_branch second = {.box = b->bounds, .what = b->root, .kind = GJK_BRANCH_NODE};
    (void)meet(&p, &first, &second);
}
