/*
 * Pairs of bodies whose boxes meet, within one tree or between two, by simultaneous descent: the
 * branches of one node that meet the other node's box are tested against the other's branches.
 * The recursion is as deep as the higher tree, at most GJK_TREE_HEIGHT_MAX.
 */

#include "tree/walk.h"

typedef struct gjk_pairing {
    gjk_query_bounds query; /* its box is that of the branch at hand */
    gjk_budget *budget;
    gjk_pair_visitor visit;
    void *user;
} gjk_pairing;

/* Steps of a box against a node. */
#define NODE_STEPS 4

static gjk_pairing make_pairing(const struct gjk_tree *tree, double looseness, gjk_budget *budget,
                                gjk_pair_visitor visit, void *user) {
    return (gjk_pairing){
        .query = {.kind = GJK_QUERY_OVERLAP, .dimension = tree->dimension, .looseness = looseness},
        .budget = budget,
        .visit = visit,
        .user = user,
    };
}

/* The branches of a node that meet a box; none where the budget is spent. */
static uint32_t meeting(gjk_pairing *p, const gjk_tree_node *node, const gjk_bounds *box) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    if (gjk_budget_spend(p->budget, NODE_STEPS)) {
        return 0;
    }
    if (p->query.looseness > 0.0) {
        double side = gjk_largest3(gjk_sub3(box->max, box->min));
        gjk_bounds wide = gjk_box_widen(*box, p->query.dimension, p->query.looseness * side);
        gjk_query_bounds_put_box(&p->query, &wide);
    } else {
        gjk_query_bounds_put_box(&p->query, box);
    }
    return gjk_tree_node_keys(node, &p->query, 0.0, keys);
}

static bool meet(gjk_pairing *p, const gjk_branch *a, const gjk_branch *b);

/* Visits the pairs below a branch and a node; one_first: the branch is a of a pair, else b. */
static bool meet_node(gjk_pairing *p, const gjk_branch *one, const gjk_tree_node *node,
                      bool one_first) {
    bool wanted = true;
    for (uint32_t mask = meeting(p, node, &one->box); wanted && mask != 0; mask &= mask - 1) {
        const gjk_branch other = gjk_branch_at(node, (uint32_t)__builtin_ctz(mask));
        wanted = one_first ? meet(p, one, &other) : meet(p, &other, one);
    }
    return wanted;
}

static bool meet(gjk_pairing *p, const gjk_branch *a, const gjk_branch *b) {
    if (a->kind != GJK_BRANCH_NODE && b->kind != GJK_BRANCH_NODE) {
        const gjk_leaf first = gjk_leaf_of(a->kind, a->what);
        const gjk_leaf second = gjk_leaf_of(b->kind, b->what);
        return p->visit(p->user, &first, &second);
    }
    if (b->kind != GJK_BRANCH_NODE) {
        return meet_node(p, b, a->what, false);
    }
    if (a->kind != GJK_BRANCH_NODE) {
        return meet_node(p, a, b->what, true);
    }
    const gjk_tree_node *node = a->what;
    bool wanted = true;
    for (uint32_t mask = meeting(p, node, &b->box); wanted && mask != 0; mask &= mask - 1) {
        const gjk_branch below = gjk_branch_at(node, (uint32_t)__builtin_ctz(mask));
        wanted = meet_node(p, &below, b->what, true);
    }
    return wanted;
}

static bool pair_within(gjk_pairing *p, const gjk_tree_node *node) {
    bool wanted = !gjk_budget_is_spent(p->budget);
    for (uint32_t i = 0; wanted && i < node->used; i++) {
        const gjk_branch branch = gjk_branch_at(node, i);
        if (branch.kind == GJK_BRANCH_NODE) {
            wanted = pair_within(p, branch.what);
        }
        uint32_t behind = ((1u << node->used) - 1) & ~((2u << i) - 1);
        uint32_t mask = behind != 0 ? meeting(p, node, &branch.box) & behind : 0;
        for (; wanted && mask != 0; mask &= mask - 1) {
            const gjk_branch other = gjk_branch_at(node, (uint32_t)__builtin_ctz(mask));
            wanted = meet(p, &branch, &other);
        }
    }
    return wanted;
}

void gjk_tree_pairs_within(const struct gjk_tree *tree, double looseness, gjk_budget *budget,
                           gjk_pair_visitor visit, void *user) {
    gjk_pairing p = make_pairing(tree, looseness, budget, visit, user);
    (void)pair_within(&p, tree->root);
}

void gjk_tree_pairs_between(const struct gjk_tree *a, const struct gjk_tree *b, double looseness,
                            gjk_budget *budget, gjk_pair_visitor visit, void *user) {
    gjk_pairing p = make_pairing(a, looseness, budget, visit, user);
    const gjk_branch first = {.box = a->bounds, .what = a->root, .kind = GJK_BRANCH_NODE};
    const gjk_branch second = {.box = b->bounds, .what = b->root, .kind = GJK_BRANCH_NODE};
    (void)meet(&p, &first, &second);
}
