/*
 * Depth-first walk over the static tree of a shape of pieces. A node's eight boxes are tested at
 * once; those that the query may be about go onto a stack, the nearest on top. Rays and sweeps use
 * the slab test (Kay and Kajiya 1986), whose far times are widened by the roundings of the near ones
 * (Ize, Robust BVH Ray Traversal, 2013).
 */

#include "shape/pieces_walk.h"

#include "base/larger.h"

#include <math.h>

/* Roundings of the transformation into the tree's unit, relative to the numbers in it. */
#define ROUNDING 0x1p-50
/* Makes squares of distances compare as the distances would. */
#define SQUARE_SLACK (1.0 + 0x1p-48)
#define SQUARE_LEAST 0x1p-1060
/* By what a time of leaving a slab may be too early, relative to it. */
#define TIME_SLACK (1.0 + 0x1p-50)

gjk_pieces_query gjk_pieces_query_make(const gjk_pieces_tree *tree, gjk_walk_kind kind,
                                       const gjk_bounds *box, double slack) {
    const double low[3] = {box->min.x, box->min.y, box->min.z};
    const double high[3] = {box->max.x, box->max.y, box->max.z};
    const double center[3] = {tree->center.x, tree->center.y, tree->center.z};
    gjk_pieces_query query = {.kind = kind};
    for (int axis = 0; axis < 3; axis++) {
        const double off = fabs(center[axis]);
        const double below = slack + ROUNDING * (fabs(low[axis]) + off);
        const double above = slack + ROUNDING * (fabs(high[axis]) + off);
        query.min[axis] = (low[axis] - center[axis] - below) * tree->unit;
        query.max[axis] = (high[axis] - center[axis] + above) * tree->unit;
    }
    return query;
}

void gjk_pieces_query_sweep(const gjk_pieces_tree *tree, gjk_vec3 way, gjk_pieces_query *query) {
    const double ways[3] = {way.x, way.y, way.z};
    for (int axis = 0; axis < 3; axis++) {
        double length = ways[axis] * tree->unit;
        query->rate[axis] = length != 0.0 ? 1.0 / length : INFINITY;
    }
}

double gjk_pieces_near_bound(const gjk_pieces_tree *tree, double distance) {
    double length = distance * tree->unit;
    return length * length * SQUARE_SLACK + SQUARE_LEAST;
}

void gjk_pieces_walk_init(gjk_pieces_walk *walk, const gjk_pieces_tree *tree,
                          const gjk_pieces_query *query, double bound) {
    walk->tree = tree;
    walk->query = *query;
    walk->bound = bound;
    walk->top = 0;
    if (tree->node_count > 0) {
        walk->stack[walk->top++] = (gjk_pieces_entry){0.0, 0};
    }
}

/* --- The keys of a node's children; not a number, or above the bound: leave it out --- */

static inline void overlap_keys(const gjk_pieces_query *query, const gjk_pieces_node *node,
                                double keys[GJK_PIECES_WIDTH]) {
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        double gap = -INFINITY;
        for (uint32_t axis = 0; axis < 3; axis++) {
            double above = (double)node->min[axis][i] - query->max[axis];
            double below = query->min[axis] - (double)node->max[axis][i];
            gap = above > gap ? above : gap;
            gap = below > gap ? below : gap;
        }
        keys[i] = gap <= 0.0 ? 0.0 : NAN;
    }
}

/* An axis without way has the rate INFINITY: its times are infinite, or, where a plane is just met,
 * not a number, which no comparison takes. */
static inline void sweep_keys(const gjk_pieces_query *query, const gjk_pieces_node *node,
                              double bound, double keys[GJK_PIECES_WIDTH]) {
    double from[GJK_PIECES_WIDTH], until[GJK_PIECES_WIDTH];
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        from[i] = 0.0;
        until[i] = bound;
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double rate = query->rate[axis];
        const bool forwards = rate > 0.0;
        const double low = query->min[axis], high = query->max[axis];
        for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
            double above = ((double)node->min[axis][i] - high) * rate;
            double below = ((double)node->max[axis][i] - low) * rate;
            double in = forwards ? above : below, out = (forwards ? below : above) * TIME_SLACK;
            from[i] = in > from[i] ? in : from[i];
            until[i] = out < until[i] ? out : until[i];
        }
    }
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        keys[i] = from[i] <= until[i] ? from[i] : NAN;
    }
}

static inline void near_keys(const gjk_pieces_query *query, const gjk_pieces_node *node,
                             double keys[GJK_PIECES_WIDTH]) {
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        double sum = 0.0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            double above = (double)node->min[axis][i] - query->max[axis];
            double below = query->min[axis] - (double)node->max[axis][i];
            double gap = above > below ? above : below;
            gap = gap > 0.0 ? gap : 0.0;
            sum += gap * gap;
        }
        keys[i] = sum;
    }
}

/* --- The walk --- */

static void open_node(gjk_pieces_walk *walk, const gjk_pieces_node *node) {
    double keys[GJK_PIECES_WIDTH];
    const uint32_t bottom = walk->top;
    switch (walk->query.kind) {
    case GJK_WALK_OVERLAP:
        overlap_keys(&walk->query, node, keys);
        break;
    case GJK_WALK_SWEEP:
        sweep_keys(&walk->query, node, walk->bound, keys);
        break;
    case GJK_WALK_NEAR:
        near_keys(&walk->query, node, keys);
        break;
    }
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        if (!(keys[i] <= walk->bound) || !(node->min[0][i] <= node->max[0][i])) {
            continue;
        }
        GJK_CHECK(walk->top < GJK_PIECES_STACK);
        uint32_t at = walk->top++;
        while (at > bottom && walk->stack[at - 1].key < keys[i]) {
            walk->stack[at] = walk->stack[at - 1];
            at--;
        }
        walk->stack[at] = (gjk_pieces_entry){keys[i], node->child[i]};
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
            return true;
        }
        open_node(walk, &walk->tree->nodes[entry.child]);
    }
    return false;
}
