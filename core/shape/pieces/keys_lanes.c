/* Keys of a node's eight children, computed at once. */

#include "base/eight_lanes.h"
#include "shape/pieces/walk.h"

/* The boxes of the children on one axis. */
typedef struct lanes_slab {
    lanes min, max;
} lanes_slab;

LANES_INLINE lanes_slab load_slab(const gjk_pieces_node *node, uint32_t axis) {
    return (lanes_slab){lanes_load_floats(node->min[axis]), lanes_load_floats(node->max[axis])};
}

LANES_INLINE uint32_t overlap_keys(const gjk_pieces_query *query, const gjk_pieces_node *node,
                                   double *keys) {
    uint32_t meets = UINT8_MAX;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const lanes_slab slab = load_slab(node, axis);
        meets &= lanes_not_below(lanes_all(query->max[axis]), slab.min) &
                 lanes_not_below(slab.max, lanes_all(query->min[axis]));
    }
    lanes_store(keys, lanes_all(0.0));
    return meets;
}

/* The slab test, as in tree/keys_lanes.c. */
LANES_INLINE uint32_t sweep_keys(const gjk_pieces_query *query, const gjk_pieces_node *node,
                                 double bound, double *keys) {
    const lanes slack = lanes_all(GJK_PIECES_TIME_SLACK);
    lanes from = lanes_all(0.0), until = lanes_all(bound);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const lanes rate = lanes_all(query->rate[axis]);
        const lanes_slab slab = load_slab(node, axis);
        const lanes begin = lanes_mul(lanes_sub(slab.min, lanes_all(query->max[axis])), rate);
        const lanes end = lanes_mul(lanes_sub(slab.max, lanes_all(query->min[axis])), rate);
        const bool forwards = query->rate[axis] > 0.0;
        from = lanes_larger(forwards ? begin : end, from);
        until = lanes_smaller(lanes_mul(forwards ? end : begin, slack), until);
    }
    lanes_store(keys, from);
    return lanes_not_below(until, from);
}

/* Adds the square of the gap between the slab and [low, high]. */
LANES_INLINE lanes add_square(lanes sum, lanes_slab slab, double low, double high) {
    const lanes above = lanes_sub(slab.min, lanes_all(high));
    const lanes below = lanes_sub(lanes_all(low), slab.max);
    const lanes gap = lanes_larger(lanes_larger(above, below), lanes_all(0.0));
    return lanes_add(sum, lanes_mul(gap, gap));
}

LANES_INLINE uint32_t near_keys(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                double *keys) {
    const gjk_pieces_query *query = &walk->query;
    lanes of_center = lanes_all(0.0), of_boxes = of_center;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double center = query->center[axis];
        of_center = add_square(of_center, load_slab(node, axis), center, center);
    }
    const lanes_slab first = load_slab(node, 0);
    const uint32_t near =
        lanes_not_below(lanes_all(walk->bound), of_center) & lanes_not_below(first.max, first.min);
    lanes_store(keys, of_center);
    if (query->is_ball) {
        return near;
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        of_boxes = add_square(of_boxes, load_slab(node, axis), query->min[axis], query->max[axis]);
    }
    return near & lanes_not_below(lanes_all(walk->box_bound), of_boxes);
}

LANES_INLINE uint32_t find_keys(const gjk_pieces_walk *walk, const gjk_pieces_node *node,
                                double *keys) {
    switch (walk->query.kind) {
    case GJK_WALK_OVERLAP:
        return overlap_keys(&walk->query, node, keys);
    case GJK_WALK_SWEEP:
        return sweep_keys(&walk->query, node, walk->bound, keys);
    default:
        return near_keys(walk, node, keys);
    }
}

gjk_pieces_keys *const LANES_FORM(gjk_pieces_keys) = find_keys;
