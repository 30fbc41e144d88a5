#ifndef GJK_TREE_TREE_H
#define GJK_TREE_TREE_H

/*
 * A persistent bounding volume hierarchy over bodies. Trees are immutable: an edit makes a new tree
 * that shares every unchanged branch with the old one. Reference counts are atomic. A tree borrows
 * its bodies: the owner of the tree keeps them alive.
 *
 * Answers of queries do not depend on the shape of the tree; only their cost does.
 */

#include "gjk/body.h"
#include "gjk/budget.h"

struct gjk_tree;

/* Insertion of `to` (from is NULL), removal of `from` (to is NULL), or replacement of `from` by
 * `to`. */
typedef struct gjk_tree_change {
    const gjk_body *from, *to;
} gjk_tree_change;

/*
 * Applies changes, in any order, to a tree (NULL: a tree without bodies). *out gets one reference
 * to the new tree, or NULL if no body is left. Boxes of bodies that move a little are refitted; a
 * degraded branch is rebuilt. Expected O(changes * log n), at most O(n log n). Returns
 * OUT_OF_MEMORY, or GIVEN_UP if the budget (NULL: unlimited) is spent.
 */
gjk_status gjk_tree_edit(const struct gjk_tree *tree, uint32_t dimension,
                         const gjk_tree_change *changes, uint32_t count, gjk_budget *budget,
                         struct gjk_tree **out) GJK_MUST_USE;

/* Makes a tree over the same bodies whose boxes enclose their motions from `from` to `to`:
 * positions move linearly, rotations evenly along the shortest arc. Changes without `from` or
 * without `to` are ignored. Bodies that do not move must outlive the new tree. boxes: NULL, or one
 * box per change that encloses its motion; a walk then returns `to` both as the body and as its
 * target. `tree` may itself be such a tree if each of its moving bodies is the `from` of a change.
 * Returns OUT_OF_MEMORY on failure. */
gjk_status gjk_tree_span(const struct gjk_tree *tree, const gjk_tree_change *changes,
                         uint32_t count, const gjk_bounds *boxes,
                         struct gjk_tree **out) GJK_MUST_USE;

/* Returns a box that encloses a body as it moves through `poses` in order, interpolated as in
 * gjk_tree_span. base: the body at one of the poses, or near them; box: gjk_box_of(base). */
gjk_bounds gjk_tree_motion_box(const gjk_placed *base, const gjk_bounds *box,
                               const gjk_pose *const *poses, uint32_t count);

struct gjk_tree *gjk_tree_retain(const struct gjk_tree *tree);
void gjk_tree_release(const struct gjk_tree *tree); /* NULL is allowed */

/* Return the memory of a tree in bytes: of all nodes, and of nodes not shared with the tree that it
 * was edited from. 0 for NULL. O(1). */
size_t gjk_tree_bytes(const struct gjk_tree *tree);
size_t gjk_tree_added_bytes(const struct gjk_tree *tree);

/* Returns a lower bound of the bytes used by `tree` alone: shared neither with the tree it was
 * edited from nor with `span`, which gjk_tree_span made from it. O(1). */
size_t gjk_tree_bytes_beside(const struct gjk_tree *tree, const struct gjk_tree *span);

gjk_bounds gjk_tree_bounds(const struct gjk_tree *tree);

/* Returns the average number of boxes, of bodies and nodes, that a random line through the bounds
 * meets. A query tests about this many boxes, or fewer if a hit ends it early. O(1). */
double gjk_tree_boxes_met(const struct gjk_tree *tree);

#endif
