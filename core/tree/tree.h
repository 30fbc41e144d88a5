#ifndef GJK_TREE_TREE_H
#define GJK_TREE_TREE_H

/*
 * A tree of boxes over bodies, so that a query looks only at what it may meet. Immutable: an
 * edit makes a new tree that shares every branch without changes with the old one. References
 * are counted as those of sets are. Trees borrow the bodies: whoever owns a tree keeps them.
 *
 * What is said of a body never depends on the tree, only how soon it is said.
 */

#include "gjk/set.h"

struct gjk_tree;

/* from NULL: `to` is put in; to NULL: `from` is taken out; else `to` takes its place. */
typedef struct gjk_tree_change {
    const gjk_body *from, *to;
} gjk_tree_change;

/*
 * The tree that `tree` (NULL: without bodies) becomes by the changes, in any order; one
 * reference, the caller's; NULL where no body is left. Where bodies only move a little, boxes
 * are fitted anew and the branches stay; a branch that has worn out is built anew. Expected
 * O(changes * log n), at most O(n log n). OUT_OF_MEMORY.
 */
gjk_status gjk_tree_edit(const struct gjk_tree *tree, uint32_t dimension,
                         const gjk_tree_change *changes, uint32_t count,
                         struct gjk_tree **out) GJK_MUST_USE;

/*
 * A tree over the same bodies, whose boxes hold them also on their way to where the changes
 * lead: positions in a straight line, rotations any way. Only changes with both `from` and
 * `to`, which must outlive the tree too, count. OUT_OF_MEMORY.
 */
gjk_status gjk_tree_span(const struct gjk_tree *tree, const gjk_tree_change *changes,
                         uint32_t count, struct gjk_tree **out) GJK_MUST_USE;

struct gjk_tree *gjk_tree_retain(const struct gjk_tree *tree);
void gjk_tree_release(const struct gjk_tree *tree); /* NULL is allowed */

/* Of all its branches, shared or not, and of those that the tree it was made from has not. NULL:
 * none. O(1). */
size_t gjk_tree_bytes(const struct gjk_tree *tree);
size_t gjk_tree_added_bytes(const struct gjk_tree *tree);
uint32_t gjk_tree_count(const struct gjk_tree *tree);  /* bodies */
uint32_t gjk_tree_height(const struct gjk_tree *tree); /* at most GJK_TREE_TREE_HEIGHT_MAX */
gjk_bounds gjk_tree_bounds(const struct gjk_tree *tree);

/* How many boxes, of bodies and others, a straight line through the bounds meets on average: about
 * what a question costs. From above: as if no hit ended it. O(1). */
double gjk_tree_boxes_met(const struct gjk_tree *tree);

/* A set's own, over its bodies as they stand; NULL where it has none. View. */
const struct gjk_tree *gjk_set_tree(const struct gjk_set *set);

#endif
