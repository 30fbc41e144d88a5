/*
 * Searches of trees: the walk down one tree, and the pairs of bodies whose boxes meet.
 *
 * Depth-first branch and bound: the children of a node are visited by ascending key, each
 * completely before the next. The caller lowers the bound as it finds answers; stack entries whose
 * keys exceed it are skipped. For each level, the stack holds the children of one node except the
 * one being visited.
 */

#include "tree/walk.h"

#include "base/numbers.h"

/* Margins for rounding: if a distance is within the limit, its rounded square is within the key. */
#define SQUARE_SLACK (1.0 + 0x1p-48)
#define SQUARE_LEAST 0x1p-1060

/* Steps charged per opened node and per found body. */
#define NODE_STEPS 2

void gjk_tree_walk_init(gjk_tree_walk *walk, gjk_budget *budget) {
    walk->budget = budget;
    walk->query.kind = GJK_QUERY_OVERLAP; /* the rest stays unset */
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

/* Returns the largest key of a box at a distance. */
static double key_at(const gjk_query_bounds *query, double distance) {
    return query->kind == GJK_QUERY_NEAR ? distance * distance * SQUARE_SLACK + SQUARE_LEAST
                                         : distance;
}

void gjk_tree_walk_narrow(gjk_tree_walk *walk, double distance) {
    walk->bound = key_at(&walk->query, distance);
}

/* Pushes the branches of a node that the query meets, least key on top (insertion sort, since a box
 * or a ray meets few). */
static void open_node(gjk_tree_walk *walk, const gjk_tree_node *node) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    gjk_tree_walk_entry *const bottom = &walk->stack[walk->top], *top = bottom;
    GJK_CHECK(walk->top + GJK_TREE_WIDTH <= GJK_TREE_WALK_STACK);
    for (uint32_t mask = gjk_tree_node_keys(node, &walk->query, walk->bound, keys); mask != 0;
         mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        gjk_tree_walk_entry *at = top++;
        gjk_prefetch_branch(node, i);
        for (; at > bottom && at[-1].key < keys[i]; at--) {
            /* One member at a time, which avoids a store-forwarding stall. */
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
#ifndef __OPTIMIZE_SIZE__
            if (walk->query.kind == GJK_QUERY_NEAR) {
                GJK_FASTEST(gjk_tree_open_near_plain, gjk_tree_open_near_avx2,
                            gjk_tree_open_near_avx512)
                (walk, entry.what);
                continue;
            }
#endif
            open_node(walk, entry.what);
            continue;
        }
        *leaf = gjk_leaf_of(entry.kind, entry.what);
        return true;
    }
    return false;
}

/* Pairs of bodies whose boxes are near, within one tree or between two, by simultaneous descent:
 * each branch of a node is tested against all branches of the other at once. The depth of recursion
 * is the height of the higher tree, at most GJK_TREE_HEIGHT_MAX. */

typedef struct gjk_pairing {
    gjk_query_bounds query; /* min and max are set by find_near */
    double bound;           /* largest key of a near box */
    bool within;            /* pairs of one tree, each once */
    gjk_budget *budget;
    gjk_pair_visitor visit;
    void *user;
} gjk_pairing;

/* Steps charged per body against a node, and per node against another. */
#define BODY_STEPS 4
#define PAIR_STEPS 16

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

static bool meet_nodes(gjk_pairing *p, const gjk_tree_node *a, const gjk_tree_node *b,
                       gjk_tree_place around);

/* Returns a mask of the branches of `node` that are near another branch. */
static uint32_t find_near(gjk_pairing *p, gjk_tree_place branch, const gjk_tree_node *node) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    const gjk_tree_node *of = branch.node;
    double side = 0.0;
    for (uint32_t axis = 0; axis < p->query.dimension; axis++) {
        side = gjk_larger(side, of->max[axis][branch.i] - of->min[axis][branch.i]);
    }
    for (uint32_t axis = 0; axis < p->query.dimension; axis++) {
        p->query.min[axis] = of->min[axis][branch.i] - p->query.looseness * side;
        p->query.max[axis] = of->max[axis][branch.i] + p->query.looseness * side;
    }
    return gjk_tree_node_keys(node, &p->query, p->bound, keys);
}

/* Visits the near pairs of bodies below two branches. Returns false if the visitor has ended the
 * enumeration or the budget is spent. */
static bool meet(gjk_pairing *p, gjk_tree_place a, gjk_tree_place b) {
    const gjk_branch_kind kind_a = a.node->kind[a.i], kind_b = b.node->kind[b.i];
    const void *what_a = a.node->branch[a.i], *what_b = b.node->branch[b.i];
    if (kind_a == GJK_BRANCH_NODE && kind_b == GJK_BRANCH_NODE) {
        return meet_nodes(p, what_a, what_b, b);
    }
    if (kind_a != GJK_BRANCH_NODE && kind_b != GJK_BRANCH_NODE) {
        const gjk_leaf first = gjk_leaf_of(kind_a, what_a), second = gjk_leaf_of(kind_b, what_b);
        return p->visit(p->user, &first, &second);
    }
    const bool a_is_node = kind_a == GJK_BRANCH_NODE;
    const gjk_tree_place body = a_is_node ? b : a;
    const gjk_tree_node *node = a_is_node ? what_a : what_b;
    bool wanted = !gjk_budget_spend(p->budget, BODY_STEPS);
    uint32_t mask = find_near(p, body, node);
    for (; wanted && mask != 0; mask &= mask - 1) {
        const gjk_tree_place below = {node, (uint32_t)__builtin_ctz(mask)};
        wanted = a_is_node ? meet(p, below, body) : meet(p, body, below);
    }
    return wanted;
}

/* Visits the near pairs of bodies below two nodes. around: as in gjk_tree_meetings. */
static bool meet_nodes(gjk_pairing *p, const gjk_tree_node *a, const gjk_tree_node *b,
                       gjk_tree_place around) {
    const bool within = p->within && a == b;
    uint64_t pairs = 0; /* as gjk_tree_meetings returns them */
    bool wanted = !gjk_budget_spend(p->budget, PAIR_STEPS);
    if (p->query.kind == GJK_QUERY_OVERLAP && p->query.looseness == 0.0) {
        pairs = GJK_FASTEST(gjk_tree_meetings_plain, gjk_tree_meetings_avx2,
                            gjk_tree_meetings_avx512)(a, b, around);
    } else {
        for (uint32_t i = 0; i < a->used; i++) {
            pairs |= (uint64_t)find_near(p, (gjk_tree_place){a, i}, b) << (8 * i);
        }
    }
    if (within) {
        pairs &= UINT64_C(0x0080C0E0F0F8FCFE); /* those with k > i */
    }
    for (uint32_t i = 0; wanted && within && i < a->used; i++) {
        wanted = a->kind[i] != GJK_BRANCH_NODE ||
                 meet_nodes(p, a->branch[i], a->branch[i], (gjk_tree_place){NULL, 0});
    }
    for (; wanted && pairs != 0; pairs &= pairs - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(pairs);
        wanted = meet(p, (gjk_tree_place){a, bit / 8}, (gjk_tree_place){b, bit % 8});
    }
    return wanted;
}

void gjk_tree_pairs_within(const struct gjk_tree *tree, gjk_pair_reach reach, gjk_budget *budget,
                           gjk_pair_visitor visit, void *user) {
    gjk_pairing p = make_pairing(tree, reach, budget, visit, user);
    p.within = true;
    (void)meet_nodes(&p, tree->root, tree->root, (gjk_tree_place){NULL, 0});
}

void gjk_tree_pairs_between(const struct gjk_tree *a, const struct gjk_tree *b,
                            gjk_pair_reach reach, gjk_budget *budget, gjk_pair_visitor visit,
                            void *user) {
    gjk_pairing p = make_pairing(a, reach, budget, visit, user);
    (void)meet_nodes(&p, a->root, b->root, (gjk_tree_place){NULL, 0});
}
