/*
 * Searches of trees: the walk down one tree, and the pairs of bodies whose boxes meet.
 *
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

/* The greatest key of a box at that distance. */
static double key_at(const gjk_query_bounds *query, double distance) {
    return query->kind == GJK_QUERY_NEAR ? distance * distance * SQUARE_SLACK + SQUARE_LEAST
                                         : distance;
}

void gjk_tree_walk_narrow(gjk_tree_walk *walk, double distance) {
    walk->bound = key_at(&walk->query, distance);
}

/* Fetches what a branch is looked at for first, while its siblings are still being sorted: one line
 * of two, the other of which processors fetch too. */
static void prefetch_branch(const void *what, bool is_node) {
    const size_t bytes = is_node ? offsetof(gjk_tree_node, references) : sizeof(gjk_body);
    for (size_t at = 0; at < bytes; at += 128) {
        __builtin_prefetch((const char *)what + at);
    }
}

/* Pushes the branches of a node that the query meets, the least key on top (insertion sort). */
static void open_node(gjk_tree_walk *walk, const gjk_tree_node *node) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    gjk_tree_walk_entry *const bottom = &walk->stack[walk->top], *top = bottom;
    GJK_CHECK(walk->top + node->used <= GJK_TREE_WALK_STACK);
    for (uint32_t mask = gjk_tree_node_keys(node, &walk->query, walk->bound, keys); mask != 0;
         mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        gjk_tree_walk_entry *at = top++;
        prefetch_branch(node->branch[i], node->kind[i] == GJK_BRANCH_NODE);
        for (; at > bottom && at[-1].key < keys[i]; at--) {
            /* Number by number, which avoids a store-forwarding stall. */
            at->key = at[-1].key;
            at->what = at[-1].what;
            at->kind = at[-1].kind;
        }
        at->key = keys[i];
        at->what = node->branch[i];
        at->kind = (gjk_branch_kind)node->kind[i];
    }
    walk->top = (uint32_t)(top - walk->stack);
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

/* Pairs of bodies whose boxes are near, within one tree or between two, by simultaneous descent:
 * the branches of one node that are near the other node's box are tested against the other's
 * branches. The recursion is as deep as the higher tree, at most GJK_TREE_HEIGHT_MAX. */

typedef struct gjk_pairing {
    gjk_query_bounds query; /* its box is that of the branch at hand */
    double bound;           /* of the keys */
    gjk_budget *budget;
    gjk_pair_visitor visit;
    void *user;
} gjk_pairing;

/* Steps of a box against a node. */
#define PAIR_STEPS 4

static gjk_pairing make_pairing(const struct gjk_tree *tree, gjk_pair_reach reach,
                                gjk_budget *budget, gjk_pair_visitor visit, void *user) {
    gjk_pairing p = {
        .query = {.kind = reach.distance > 0.0 ? GJK_QUERY_NEAR : GJK_QUERY_OVERLAP,
                  .dimension = tree->dimension,
                  .looseness = reach.looseness},
        .budget = budget,
        .visit = visit,
        .user = user,
    };
    p.bound = key_at(&p.query, reach.distance);
    return p;
}

/* The branches of a node that are near a box; none where the budget is spent. */
static uint32_t meeting(gjk_pairing *p, const gjk_tree_node *node, const gjk_bounds *box) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    if (gjk_budget_spend(p->budget, PAIR_STEPS)) {
        return 0;
    }
    if (p->query.looseness > 0.0) {
        double side = gjk_largest3(gjk_sub3(box->max, box->min));
        gjk_bounds wide = gjk_box_widen(*box, p->query.dimension, p->query.looseness * side);
        gjk_query_bounds_put_box(&p->query, &wide);
    } else {
        gjk_query_bounds_put_box(&p->query, box);
    }
    return gjk_tree_node_keys(node, &p->query, p->bound, keys);
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

void gjk_tree_pairs_within(const struct gjk_tree *tree, gjk_pair_reach reach, gjk_budget *budget,
                           gjk_pair_visitor visit, void *user) {
    gjk_pairing p = make_pairing(tree, reach, budget, visit, user);
    (void)pair_within(&p, tree->root);
}

void gjk_tree_pairs_between(const struct gjk_tree *a, const struct gjk_tree *b,
                            gjk_pair_reach reach, gjk_budget *budget, gjk_pair_visitor visit,
                            void *user) {
    gjk_pairing p = make_pairing(a, reach, budget, visit, user);
    const gjk_branch first = {.box = a->bounds, .what = a->root, .kind = GJK_BRANCH_NODE};
    const gjk_branch second = {.box = b->bounds, .what = b->root, .kind = GJK_BRANCH_NODE};
    (void)meet(&p, &first, &second);
}
