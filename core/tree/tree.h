#ifndef GJK_TREE_TREE_H
#define GJK_TREE_TREE_H

/*
 * A persistent bounding volume hierarchy over bodies. Immutable: an edit makes a new tree that
 * shares every unchanged branch with the old one. References are counted, from any thread. Trees
 * borrow the bodies: the owner of a tree keeps them alive.
 *
 * Answers never depend on the tree, only their cost does.
 */

#include "gjk/body.h"
#include "gjk/budget.h"

struct gjk_tree;

/* from NULL: `to` is inserted; to NULL: `from` is removed; else `to` replaces `from`. */
typedef struct gjk_tree_change {
    const gjk_body *from, *to;
} gjk_tree_change;

/*
 * The tree that `tree` (NULL: without bodies) becomes by the changes, in any order; one reference,
 * the caller's; NULL where no body is left. Where bodies move only a little, boxes are refitted and
 * the branches stay; a branch that has degraded is rebuilt. Expected O(changes * log n), at most
 * O(n log n). OUT_OF_MEMORY; GIVEN_UP where the budget (NULL: endless) is spent.
 */
gjk_status gjk_tree_edit(const struct gjk_tree *tree, uint32_t dimension,
                         const gjk_tree_change *changes, uint32_t count, gjk_budget *budget,
                         struct gjk_tree **out) GJK_MUST_USE;

/* A tree over the same bodies whose boxes also enclose their motions from `from` to `to`: positions
 * along a straight line, rotations by the shortest arc, both evenly. Changes without `from` or without `to` are
 * ignored; the bodies of the others must outlive the tree. boxes: NULL, or of each change the box
 * that its body keeps within; a walk then finds `to` as the body and as where it moves to. The
 * tree may be such a tree itself, if each body that moves in it is the `from` of a change.
 * OUT_OF_MEMORY. */
gjk_status gjk_tree_span(const struct gjk_tree *tree, const gjk_tree_change *changes,
                         uint32_t count, const gjk_bounds *boxes,
                         struct gjk_tree **out) GJK_MUST_USE;

/* The box of a body that moves so from pose to pose. base: the body at one of them, or near; box: its
 * box (gjk_box_of) there. */
gjk_bounds gjk_tree_motion_box(const gjk_placed *base, const gjk_bounds *box,
                               const gjk_pose *const *poses, uint32_t count);

struct gjk_tree *gjk_tree_retain(const struct gjk_tree *tree);
void gjk_tree_release(const struct gjk_tree *tree); /* NULL is allowed */

/* The memory of all nodes, shared or not, and of those not shared with the tree that it was made
 * from. NULL: 0. O(1). */
size_t gjk_tree_bytes(const struct gjk_tree *tree);
size_t gjk_tree_added_bytes(const struct gjk_tree *tree);

/* The memory, or less, of a tree that neither the one that it was made from nor `span`, which
 * gjk_tree_span has made from it, shares. O(1). */
size_t gjk_tree_bytes_beside(const struct gjk_tree *tree, const struct gjk_tree *span);

gjk_bounds gjk_tree_bounds(const struct gjk_tree *tree);

/* Returns how many boxes, of bodies and nodes, a random straight line through the bounds meets on
 * average. A query costs at most about that many, since a hit may end it before. O(1). */
double gjk_tree_boxes_met(const struct gjk_tree *tree);

#endif
