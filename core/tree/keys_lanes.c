/* Keys of a node's branches, computed for all eight branches at once. */

#include "base/eight_lanes.h"
#include "tree/node.h"

LANES_INLINE lanes find_looseness(const gjk_query_bounds *query, const gjk_tree_node *node) {
    lanes loose = lanes_all(0.0);
    for (uint32_t axis = 0; query->looseness > 0.0 && axis < query->dimension; axis++) {
        const lanes side =
            lanes_sub(lanes_load_any(node->max[axis]), lanes_load_any(node->min[axis]));
        loose = lanes_larger(lanes_mul(side, lanes_all(query->looseness)), loose);
    }
    return loose;
}

/* Signed distances on one axis: from the query's upper side to each branch's lower side, and from
 * the query's lower side to each branch's upper side. */
typedef struct lanes_sides {
    lanes begin, end;
} lanes_sides;

LANES_INLINE lanes_sides find_sides(const gjk_query_bounds *query, const gjk_tree_node *node,
                                    uint32_t axis, lanes loose) {
    const lanes min = lanes_sub(lanes_load_any(node->min[axis]), loose);
    const lanes max = lanes_add(lanes_load_any(node->max[axis]), loose);
    return (lanes_sides){lanes_sub(min, lanes_all(query->max[axis])),
                         lanes_sub(max, lanes_all(query->min[axis]))};
}

LANES_INLINE uint32_t overlap_keys(const gjk_query_bounds *query, const gjk_tree_node *node,
                                   double *keys) {
    const lanes loose = find_looseness(query, node), zero = lanes_all(0.0);
    uint32_t meets = UINT8_MAX;
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const lanes_sides sides = find_sides(query, node, axis, loose);
        meets &= lanes_not_below(zero, sides.begin) & lanes_not_below(sides.end, zero);
    }
    lanes_store(keys, zero);
    return meets;
}

/*
 * The slab test (Kay and Kajiya 1986) for a moving box: on each axis it overlaps a branch's slab
 * during an interval of time. An axis without motion has the rate INFINITY: the ends are then
 * infinite, or NaN if the sides just touch, in which case lanes_larger and lanes_smaller return
 * their second operand.
 */
LANES_INLINE uint32_t sweep_keys(const gjk_query_bounds *query, const gjk_tree_node *node,
                                 double bound, double *keys) {
    const lanes loose = find_looseness(query, node);
    lanes from = lanes_all(0.0), until = lanes_all(bound);
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const lanes rate = lanes_all(query->rate[axis]);
        const lanes_sides sides = find_sides(query, node, axis, loose);
        const bool forwards = query->rate[axis] > 0.0;
        from = lanes_larger(lanes_mul(forwards ? sides.begin : sides.end, rate), from);
        until = lanes_smaller(lanes_mul(forwards ? sides.end : sides.begin, rate), until);
    }
    lanes_store(keys, from);
    return lanes_not_below(until, from);
}

LANES_INLINE uint32_t near_keys(const gjk_query_bounds *query, const gjk_tree_node *node,
                                double bound, double *keys) {
    const lanes loose = find_looseness(query, node), zero = lanes_all(0.0);
    lanes sum = zero;
    for (uint32_t axis = 0; axis < query->dimension; axis++) {
        const lanes_sides sides = find_sides(query, node, axis, loose);
        const lanes gap = lanes_larger(lanes_larger(sides.begin, lanes_sub(zero, sides.end)), zero);
        sum = lanes_add(sum, lanes_mul(gap, gap));
    }
    lanes_store(keys, sum);
    return lanes_not_below(lanes_all(bound), sum);
}

LANES_INLINE uint32_t find_keys(const gjk_tree_node *node, const gjk_query_bounds *query,
                                double bound, double *keys) {
    uint32_t found = 0;
    switch (query->kind) {
    case GJK_QUERY_OVERLAP:
        found = overlap_keys(query, node, keys);
        break;
    case GJK_QUERY_SWEEP:
        found = sweep_keys(query, node, bound, keys);
        break;
    case GJK_QUERY_NEAR:
        found = near_keys(query, node, bound, keys);
        break;
    }
    return found & ((1u << node->used) - 1);
}

/* Tests each branch of a against all eight of b at once, on three axes; in 2D the z ranges always
 * overlap. */
LANES_INLINE void find_meetings(const gjk_tree_node *a, const gjk_tree_node *b,
                                uint8_t meets[GJK_TREE_WIDTH]) {
    const lanes min_x = lanes_load_any(b->min[0]), max_x = lanes_load_any(b->max[0]);
    const lanes min_y = lanes_load_any(b->min[1]), max_y = lanes_load_any(b->max[1]);
    const lanes min_z = lanes_load_any(b->min[2]), max_z = lanes_load_any(b->max[2]);
    for (uint32_t i = 0; i < a->used; i++) {
        meets[i] = (uint8_t)(lanes_not_below(lanes_all(a->max[0][i]), min_x) &
                             lanes_not_below(max_x, lanes_all(a->min[0][i])) &
                             lanes_not_below(lanes_all(a->max[1][i]), min_y) &
                             lanes_not_below(max_y, lanes_all(a->min[1][i])) &
                             lanes_not_below(lanes_all(a->max[2][i]), min_z) &
                             lanes_not_below(max_z, lanes_all(a->min[2][i])));
    }
}

gjk_tree_keys *const LANES_FORM(gjk_tree_keys) = find_keys;
gjk_tree_meetings *const LANES_FORM(gjk_tree_meetings) = find_meetings;
