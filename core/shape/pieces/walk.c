/*
 * Depth-first walk over the static tree of a shape of pieces. A node's eight boxes are tested at
 * once; those that may matter to the query go onto a stack, the nearest on top. Rays and sweeps use
 * the slab test (Kay and Kajiya 1986), whose far times are increased by the rounding error of the
 * near ones (Ize, Robust BVH Ray Traversal, 2013).
 */

#include "shape/pieces/walk.h"

#include "base/lanes.h"

#include <math.h>

/* Rounding error of the transformation into the tree's unit, relative to its terms. */
#define ROUNDING 0x1p-50
/* Margins for rounding: if a distance is within the limit, so is its rounded square. */
#define SQUARE_SLACK (1.0 + 0x1p-48)
#define SQUARE_LEAST 0x1p-1060

/* Sets the range of the query's box on one axis. The axes are set one by one: in a loop, gcc writes
 * single numbers to arrays and reads pairs of them, which causes a store-forwarding stall. */
static inline void set_range(gjk_pieces_query *query, int axis, double low, double high,
                             double center, double unit, double slack) {
    const double below = slack + ROUNDING * (fabs(low) + fabs(center));
    const double above = slack + ROUNDING * (fabs(high) + fabs(center));
    query->min[axis] = (low - center - below) * unit;
    query->max[axis] = (high - center + above) * unit;
}

void gjk_pieces_walk_begin(gjk_pieces_walk *walk, const gjk_pieces_tree *tree, gjk_walk_kind kind,
                           const gjk_bounds *box, double slack, double bound, gjk_budget *budget) {
    const gjk_vec3 *low = &box->min, *high = &box->max, *center = &tree->center;
    walk->query.kind = kind;
    set_range(&walk->query, 0, low->x, high->x, center->x, tree->unit, slack);
    set_range(&walk->query, 1, low->y, high->y, center->y, tree->unit, slack);
    set_range(&walk->query, 2, low->z, high->z, center->z, tree->unit, slack);
    walk->tree = tree;
    walk->budget = budget;
    walk->bound = bound;
    walk->box_bound = INFINITY;
    walk->top = 0;
    if (tree->node_count > 0) {
        walk->stack[walk->top++] = (gjk_pieces_entry){0.0, 0};
    }
}

static inline double rate_of(double length) {
    return length != 0.0 ? 1.0 / length : INFINITY;
}

void gjk_pieces_walk_along(gjk_pieces_walk *walk, gjk_vec3 way) {
    const double unit = walk->tree->unit;
    walk->query.rate[0] = rate_of(way.x * unit);
    walk->query.rate[1] = rate_of(way.y * unit);
    walk->query.rate[2] = rate_of(way.z * unit);
}

void gjk_pieces_walk_ball(gjk_pieces_walk *walk, gjk_vec3 center, double radius, bool is_ball) {
    const gjk_pieces_tree *tree = walk->tree;
    const gjk_vec3 from = tree->center;
    const double numbers = (fabs(center.x) + fabs(from.x)) + (fabs(center.y) + fabs(from.y)) +
                           (fabs(center.z) + fabs(from.z));
    walk->query.center[0] = (center.x - from.x) * tree->unit;
    walk->query.center[1] = (center.y - from.y) * tree->unit;
    walk->query.center[2] = (center.z - from.z) * tree->unit;
    walk->query.radius = radius + ROUNDING * numbers;
    walk->query.is_ball = is_ball;
}

double gjk_pieces_near_bound(const gjk_pieces_tree *tree, double distance) {
    const double length = distance * tree->unit;
    return length * length * SQUARE_SLACK + SQUARE_LEAST;
}

void gjk_pieces_walk_narrow(gjk_pieces_walk *walk, double distance) {
    walk->bound = gjk_pieces_near_bound(walk->tree, distance + walk->query.radius);
    walk->box_bound = gjk_pieces_near_bound(walk->tree, distance);
}

/* Prefetches a child while its siblings are still being sorted. */
static void prefetch_child(const gjk_pieces_tree *tree, uint32_t child) {
    if (gjk_child_is_leaf(child)) {
        const uint32_t slot = gjk_child_first_slot(child);
        if (slot >= tree->cell_count) {
            __builtin_prefetch(&tree->order[slot - tree->cell_count]);
        }
        return;
    }
    const char *node = (const char *)&tree->nodes[child];
    for (size_t at = 0; at < sizeof(gjk_pieces_node); at += 64) {
        __builtin_prefetch(node + at);
    }
}

static void open_node(gjk_pieces_walk *walk, const gjk_pieces_node *node) {
    _Alignas(64) double keys[GJK_PIECES_WIDTH];
    const uint32_t bottom = walk->top;
    uint32_t found = GJK_FASTEST(gjk_pieces_keys_plain, gjk_pieces_keys_avx2,
                                 gjk_pieces_keys_avx512)(walk, node, keys);
    for (; found != 0; found &= found - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(found);
        GJK_CHECK(walk->top < GJK_PIECES_STACK);
        uint32_t at = walk->top++;
        while (at > bottom && walk->stack[at - 1].key < keys[i]) {
            walk->stack[at] = walk->stack[at - 1];
            at--;
        }
        walk->stack[at] = (gjk_pieces_entry){keys[i], node->child[i]};
        prefetch_child(walk->tree, node->child[i]);
    }
}

bool gjk_pieces_walk_next(gjk_pieces_walk *walk, uint32_t *first, uint32_t *count) {
    while (walk->top > 0) {
        const gjk_pieces_entry entry = walk->stack[--walk->top];
        if (entry.key > walk->bound) {
            continue;
        }
        if (gjk_child_is_leaf(entry.child)) {
            *first = gjk_child_first_slot(entry.child);
            *count = gjk_child_slot_count(entry.child);
            return !gjk_budget_spend(walk->budget, *count * GJK_PIECES_PIECE_STEPS);
        }
        if (gjk_budget_spend(walk->budget, GJK_PIECES_NODE_STEPS)) {
            return false;
        }
        open_node(walk, &walk->tree->nodes[entry.child]);
    }
    return false;
}
