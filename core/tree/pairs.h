#ifndef GJK_TREE_PAIRS_H
#define GJK_TREE_PAIRS_H

#include "tree/node.h"

/* A body of a tree; next: where it goes, in the tree of a span, or NULL. */
typedef struct gjk_leaf {
    const gjk_body *body, *next;
} gjk_leaf;

/* False ends the search. */
typedef bool (*gjk_pair_visitor)(void *user, const gjk_leaf *a, const gjk_leaf *b);

/* Names pairs of bodies, in no order, whose boxes meet, made looser as for gjk_box_looseness:
 * pairs of one tree, each once and in any order within; or of a body of each. */
void gjk_tree_pairs_within(const struct gjk_tree *tree, double looseness, gjk_pair_visitor visit,
                           void *user);
void gjk_tree_pairs_between(const struct gjk_tree *a, const struct gjk_tree *b, double looseness,
                            gjk_pair_visitor visit, void *user);

#endif
