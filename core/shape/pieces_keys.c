/*
 * The keys of a node's eight children, in plain C. Each loop over the children is the same operations
 * in the same order as in pieces_keys_avx2.c, so both give the same bits.
 */

#include "shape/pieces_walk.h"

#include <math.h>

static uint32_t overlap_keys(const gjk_pieces_query *query, const gjk_pieces_node *node,
                             double keys[GJK_PIECES_WIDTH]) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        bool meets = true;
        for (uint32_t axis = 0; axis < 3; axis++) {
            meets = meets && (double)node->min[axis][i] <= query->max[axis] &&
                    (double)node->max[axis][i] >= query->min[axis];
        }
        keys[i] = 0.0;
        found |= (uint32_t)meets << i;
    }
    return found;
}

static uint32_t sweep_keys(const gjk_pieces_query *query, const gjk_pieces_node *node, double bound,
                           double keys[GJK_PIECES_WIDTH]) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        double from = 0.0, until = bound;
        for (uint32_t axis = 0; axis < 3; axis++) {
            const double rate = query->rate[axis];
            const double above = ((double)node->min[axis][i] - query->max[axis]) * rate;
            const double below = ((double)node->max[axis][i] - query->min[axis]) * rate;
            const double in = rate > 0.0 ? above : below;
            const double out = (rate > 0.0 ? below : above) * GJK_PIECES_TIME_SLACK;
            from = in > from ? in : from;
            until = out < until ? out : until;
        }
        keys[i] = from;
        found |= (uint32_t)(from <= until) << i;
    }
    return found;
}

/* The square of the distance from a box to a child's box. */
static double square_of(const gjk_pieces_node *node, uint32_t i, const double min[3],
                        const double max[3]) {
    double sum = 0.0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double above = (double)node->min[axis][i] - max[axis];
        const double below = min[axis] - (double)node->max[axis][i];
        double gap = above > below ? above : below;
        gap = gap > 0.0 ? gap : 0.0;
        sum += gap * gap;
    }
    return sum;
}

static uint32_t near_keys(const gjk_pieces_query *query, const gjk_pieces_node *node, double bound,
                          double box_bound, double keys[GJK_PIECES_WIDTH]) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        const double of_boxes = square_of(node, i, query->min, query->max);
        keys[i] = square_of(node, i, query->center, query->center);
        found |= (uint32_t)(keys[i] <= bound && of_boxes <= box_bound &&
                            node->min[0][i] <= node->max[0][i])
                 << i;
    }
    return found;
}

uint32_t gjk_pieces_keys_plain(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                               double keys[GJK_PIECES_WIDTH]) {
    switch (walk->query.kind) {
    case GJK_WALK_OVERLAP:
        return overlap_keys(&walk->query, node, keys);
    case GJK_WALK_SWEEP:
        return sweep_keys(&walk->query, node, walk->bound, keys);
    default:
        return near_keys(&walk->query, node, walk->bound, walk->box_bound, keys);
    }
}
