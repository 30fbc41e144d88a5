/*
 * Depth-first walk over the static tree of a shape of pieces. A node's eight boxes are tested at
 * once; those that the query may be about go onto a stack, the nearest on top. Rays and sweeps use
 * the slab test (Kay and Kajiya 1986), whose far times are widened by the roundings of the near
 * ones (Ize, Robust BVH Ray Traversal, 2013).
 */

#include "shape/pieces/walk.h"

#include "base/lanes.h"

#include <math.h>

/* Roundings of the transformation into the tree's unit, relative to the numbers in it. */
#define ROUNDING 0x1p-50
/* Makes squares of distances compare as the distances would. */
#define SQUARE_SLACK (1.0 + 0x1p-48)
#define SQUARE_LEAST 0x1p-1060
/* Steps of a node that is opened, and of a look at a piece. */
#define NODE_STEPS 2
#define PIECE_STEPS 4

void gjk_pieces_walk_begin(gjk_pieces_walk *walk, const gjk_pieces_tree *tree, gjk_walk_kind kind,
                           const gjk_bounds *box, double slack, double bound, gjk_budget *budget) {
    const double low[3] = {box->min.x, box->min.y, box->min.z};
    const double high[3] = {box->max.x, box->max.y, box->max.z};
    const double center[3] = {tree->center.x, tree->center.y, tree->center.z};
    gjk_pieces_query *query = &walk->query;
    query->kind = kind;
    for (int axis = 0; axis < 3; axis++) {
        const double off = fabs(center[axis]);
        const double below = slack + ROUNDING * (fabs(low[axis]) + off);
        const double above = slack + ROUNDING * (fabs(high[axis]) + off);
        query->min[axis] = (low[axis] - center[axis] - below) * tree->unit;
        query->max[axis] = (high[axis] - center[axis] + above) * tree->unit;
    }
    walk->tree = tree;
    walk->budget = budget;
    walk->bound = bound;
    walk->box_bound = INFINITY;
    walk->top = 0;
    if (tree->node_count > 0) {
        walk->stack[walk->top++] = (gjk_pieces_entry){0.0, 0};
    }
}

void gjk_pieces_walk_along(gjk_pieces_walk *walk, gjk_vec3 way) {
    const double ways[3] = {way.x, way.y, way.z};
    for (int axis = 0; axis < 3; axis++) {
        const double length = ways[axis] * walk->tree->unit;
        walk->query.rate[axis] = length != 0.0 ? 1.0 / length : INFINITY;
    }
}

void gjk_pieces_walk_ball(gjk_pieces_walk *walk, gjk_vec3 center, double radius, bool is_ball) {
    const double at[3] = {center.x, center.y, center.z};
    const gjk_pieces_tree *tree = walk->tree;
    const double from[3] = {tree->center.x, tree->center.y, tree->center.z};
    double wider = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        walk->query.center[axis] = (at[axis] - from[axis]) * tree->unit;
        wider += ROUNDING * (fabs(at[axis]) + fabs(from[axis]));
    }
    walk->query.radius = radius + wider;
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

/* Fetches what a child begins with while its siblings are still being sorted. */
static void prefetch_child(const gjk_pieces_tree *tree, uint32_t child) {
    if (gjk_child_is_leaf(child)) {
        __builtin_prefetch(&tree->order[gjk_child_first_slot(child)]);
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
            /* Number by number, which avoids a store-forwarding stall. */
            walk->stack[at].key = walk->stack[at - 1].key;
            walk->stack[at].child = walk->stack[at - 1].child;
            at--;
        }
        walk->stack[at].key = keys[i];
        walk->stack[at].child = node->child[i];
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
            return !gjk_budget_spend(walk->budget, *count * PIECE_STEPS);
        }
        if (gjk_budget_spend(walk->budget, NODE_STEPS)) {
            return false;
        }
        open_node(walk, &walk->tree->nodes[entry.child]);
    }
    return false;
}
