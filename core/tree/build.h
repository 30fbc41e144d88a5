#ifndef GJK_TREE_BUILD_H
#define GJK_TREE_BUILD_H

/* Shared by builds: cutting bodies in two by number, where no plane separates them. */

#include "tree/node.h"

/* Twice the coordinate of the center of the box. */
static inline double gjk_branch_middle(const gjk_branch *body, uint32_t axis) {
    const gjk_bounds *b = &body->box;
    return axis == 0 ? b->min.x + b->max.x : axis == 1 ? b->min.y + b->max.y : b->min.z + b->max.z;
}

static inline void gjk_branch_swap(gjk_branch *a, gjk_branch *b) {
    gjk_branch t = *a;
    *a = *b;
    *b = t;
}

/* Moves the smaller half of count >= 1 bodies, count / 2 of them, to the front, in the order of
 * their centers along the axis, then of handles. O(n) on usual input, O(n log n) on any. Returns
 * how many bodies were looked at. */
uint64_t gjk_branches_halve(gjk_branch *bodies, uint32_t count, uint32_t axis);

#endif
