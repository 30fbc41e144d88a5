/*
 * The keys of a node's branches, for every processor: loops over the columns of boxes, without
 * conditional jumps in them.
 */

#include "tree/node.h"

static inline void measure_looseness(const gjk_query_bounds *query, const gjk_tree_node *node,
                                     double loose[GJK_TREE_WIDTH]) {
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        loose[i] = 0.0;
    }
    if (query->looseness > 0.0) {
        for (uint32_t axis = 0; axis < query->dimension; axis++) {
            for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
                double side = query->looseness * (node->max[axis][i] - node->min[axis][i]);
                loose[i] = side > loose[i] ? side : loose[i];
            }
        }
    }
}

static inline void overlap_keys(const gjk_query_bounds *query, const gjk_tree_node *node,
                                const double loose[GJK_TREE_WIDTH], double keys[GJK_TREE_WIDTH]) {
    double gap[GJK_TREE_WIDTH];
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        gap[i] = -INFINITY;
    }
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const double *min = node->min[axis], *max = node->max[axis];
        double low = query->min[axis], high = query->max[axis];
        for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
            double above = min[i] - high, below = low - max[i];
            gap[i] = above > gap[i] ? above : gap[i];
            gap[i] = below > gap[i] ? below : gap[i];
        }
    }
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        keys[i] = gap[i] <= loose[i] ? 0.0 : NAN;
    }
}

/*
 * The slab test (Kay and Kajiya 1986) of a box that moves: on each axis it meets a branch's
 * slab from one time to another. An axis without motion has the rate INFINITY: then the times are
 * infinite, or NaN where the sides just touch, which no comparison lets through.
 */
static inline void sweep_keys(const gjk_query_bounds *query, const gjk_tree_node *node,
                              const double loose[GJK_TREE_WIDTH], double bound,
                              double keys[GJK_TREE_WIDTH]) {
    double from[GJK_TREE_WIDTH], until[GJK_TREE_WIDTH];
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        from[i] = 0.0;
        until[i] = bound;
    }
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const double rate = query->rate[axis], low = query->min[axis], high = query->max[axis];
        const double *min = node->min[axis], *max = node->max[axis];
        if (rate > 0.0) {
            for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
                double in = (min[i] - loose[i] - high) * rate;
                double out = (max[i] + loose[i] - low) * rate;
                from[i] = in > from[i] ? in : from[i];
                until[i] = out < until[i] ? out : until[i];
            }
        } else {
            for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
                double in = (max[i] + loose[i] - low) * rate;
                double out = (min[i] - loose[i] - high) * rate;
                from[i] = in > from[i] ? in : from[i];
                until[i] = out < until[i] ? out : until[i];
            }
        }
    }
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        keys[i] = from[i] <= until[i] ? from[i] : NAN;
    }
}

static inline void near_keys(const gjk_query_bounds *query, const gjk_tree_node *node,
                             const double loose[GJK_TREE_WIDTH], double keys[GJK_TREE_WIDTH]) {
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        keys[i] = 0.0;
    }
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const double *min = node->min[axis], *max = node->max[axis];
        double low = query->min[axis], high = query->max[axis];
        for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
            double above = min[i] - loose[i] - high, below = low - max[i] - loose[i];
            double gap = above > below ? above : below;
            gap = gap > 0.0 ? gap : 0.0;
            keys[i] += gap * gap;
        }
    }
}

uint32_t gjk_tree_node_keys_plain(const gjk_tree_node *node, const gjk_query_bounds *query,
                                  double bound, double keys[GJK_TREE_WIDTH]) {
    double loose[GJK_TREE_WIDTH];
    uint32_t bits = 0;
    measure_looseness(query, node, loose);
    switch (query->kind) {
    case GJK_QUERY_OVERLAP:
        overlap_keys(query, node, loose, keys);
        break;
    case GJK_QUERY_SWEEP:
        sweep_keys(query, node, loose, bound, keys);
        break;
    case GJK_QUERY_NEAR:
        near_keys(query, node, loose, keys);
        break;
    }
    for (uint32_t i = 0; i < GJK_TREE_WIDTH; i++) {
        bits |= (uint32_t)(keys[i] <= bound) << i;
    }
    return bits & ((1u << node->used) - 1);
}
