/* Keys of a node's branches, computed for all eight branches at once, and branches sorted by
 * them. */

#include "base/eight_lanes.h"
#include "tree/walk.h"

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

/* The boxes of a node's branches. In 2D the z ranges always overlap. */
typedef struct lanes_boxes {
    lanes min[3], max[3];
} lanes_boxes;

LANES_INLINE lanes_boxes load_boxes(const gjk_tree_node *node) {
    return (lanes_boxes){{lanes_load_any(node->min[0]), lanes_load_any(node->min[1]),
                          lanes_load_any(node->min[2])},
                         {lanes_load_any(node->max[0]), lanes_load_any(node->max[1]),
                          lanes_load_any(node->max[2])}};
}

/* Returns a mask of the boxes that meet the box of a branch. */
LANES_INLINE uint32_t meet_box(const lanes_boxes *boxes, const gjk_tree_node *node, uint32_t i) {
    return lanes_not_below(lanes_all(node->max[0][i]), boxes->min[0]) &
           lanes_not_below(boxes->max[0], lanes_all(node->min[0][i])) &
           lanes_not_below(lanes_all(node->max[1][i]), boxes->min[1]) &
           lanes_not_below(boxes->max[1], lanes_all(node->min[1][i])) &
           lanes_not_below(lanes_all(node->max[2][i]), boxes->min[2]) &
           lanes_not_below(boxes->max[2], lanes_all(node->min[2][i]));
}

LANES_INLINE uint64_t find_meetings(const gjk_tree_node *a, const gjk_tree_node *b,
                                    gjk_tree_place around) {
    uint64_t meetings = 0;
    uint32_t near = (1u << a->used) - 1;
    if (around.node != NULL) {
        const lanes_boxes of_a = load_boxes(a);
        near &= meet_box(&of_a, around.node, around.i);
    }
    const lanes_boxes of_b = load_boxes(b);
    for (; near != 0; near &= near - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(near);
        meetings |= (uint64_t)meet_box(&of_b, a, i) << (8 * i);
    }
    return meetings;
}

#ifndef __OPTIMIZE_SIZE__
/* Returns the number of `found` keys that come after key i: they are greater, or equal and of a
 * lower number. */
LANES_INLINE uint32_t count_later(const double keys[GJK_TREE_WIDTH], uint32_t found, uint32_t i) {
    const lanes all = lanes_load(keys), this = lanes_all(keys[i]);
    const uint32_t later = lanes_above(all, this) | (lanes_equal(all, this) & ((1u << i) - 1));
    return (uint32_t)__builtin_popcount(found & later);
}

/* Sorts by the numbers of later keys: processors would mispredict the branches of an insertion sort
 * of so many. */
LANES_TARGET static void open_near(gjk_tree_walk *walk, const gjk_tree_node *node) {
    _Alignas(64) double keys[GJK_TREE_WIDTH];
    const uint32_t found = find_keys(node, &walk->query, walk->bound, keys);
    gjk_tree_walk_entry *const bottom = &walk->stack[walk->top];
    GJK_CHECK(walk->top + GJK_TREE_WIDTH <= GJK_TREE_WALK_STACK);
    for (uint32_t rest = found; rest != 0; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(rest);
        gjk_tree_walk_entry *const at = bottom + count_later(keys, found, i);
        gjk_prefetch_branch(node, i);
        at->key = keys[i];
        at->what = node->branch[i];
        at->kind = (gjk_branch_kind)node->kind[i];
    }
    walk->top += (uint32_t)__builtin_popcount(found);
}

gjk_tree_open_near *const LANES_FORM(gjk_tree_open_near) = open_near;
#endif

gjk_tree_keys *const LANES_FORM(gjk_tree_keys) = find_keys;
gjk_tree_meetings *const LANES_FORM(gjk_tree_meetings) = find_meetings;
