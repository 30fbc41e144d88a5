#ifndef GJK_TREE_EDIT_STATE_H
#define GJK_TREE_EDIT_STATE_H

/*
 * What an edit wants of a tree, body by body, and which branch each wish concerns. The passes
 * over the branches (tree_move.c, tree_insert.c) share this, and what becomes of a branch whose
 * branches have changed (tree_renew.c).
 */

#include "tree/node.h"

typedef struct gjk_op {
    const gjk_body *from, *to; /* from NULL: to be put in; both NULL: done */
    gjk_bounds was, box;       /* of from and to */
    const gjk_motion *motion;  /* instead of `to`, in a span */
} gjk_op;

/* A stack of numbers of ops; lists on it are named by where they begin. */
typedef struct gjk_editor {
    uint32_t dimension;
    bool span;
    gjk_op *ops;
    uint32_t *table; /* numbers of ops from 1 by the body taken out, hashed; NULL: few ops */
    uint32_t table_shift;
    uint32_t *stack;
    size_t top, capacity;
} gjk_editor;

typedef struct gjk_ops {
    size_t at;
    uint32_t count;
} gjk_ops;

/* Of an editor with dimension and span, the rest 0: an op for each change of a tree of `held`
 * bodies, and a table of who goes or moves where those are many. False: out of memory; fini all
 * the same. */
bool gjk_editor_init(gjk_editor *e, const gjk_tree_change *changes, uint32_t count, uint32_t held);
void gjk_editor_fini(gjk_editor *e);

/* All ops of bodies that go or move, or that are to be put in, as the only list on the stack. */
gjk_ops gjk_ops_list(gjk_editor *e, uint32_t count, bool moves);

/* Makes room on the stack. False: out of memory. */
bool gjk_ops_grow(gjk_editor *e);

/* Puts one more number on the stack. False: out of memory. */
static inline bool gjk_ops_push(gjk_editor *e, uint32_t number) {
    if (e->top == e->capacity && !gjk_ops_grow(e)) {
        return false;
    }
    e->stack[e->top++] = number;
    return true;
}

/* Puts the ops with bit i of their mask on the stack. masks: as many as ops. */
bool gjk_ops_select(gjk_editor *e, gjk_ops ops, size_t masks, uint32_t i, gjk_ops *out);

/* The list, on top of the stack, without those that were done on the way (found in another
 * branch). */
gjk_ops gjk_ops_drop_done(gjk_editor *e, gjk_ops ops);

static inline gjk_op *gjk_op_at(gjk_editor *e, gjk_ops ops, uint32_t i) {
    return &e->ops[e->stack[ops.at + i]];
}

/* The op of a body that goes or moves, by the table, or NULL. */
gjk_op *gjk_op_look_up(const gjk_editor *e, const gjk_body *body);

/* The first pass, over a branch with all the ops: who goes is taken out, who stays near is fitted
 * where it is. What is left, retained; without `what` where nobody is. False: out of memory. */
bool gjk_branch_move(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out);

/* The second pass: puts newcomers in. The same. */
bool gjk_branch_insert(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out);

/* Builds a branch over the bodies of one and those put in by ops. The branch stays as it is. */
bool gjk_branch_rebuild(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out);

/* The branches that are left of a node as one branch, built anew where that has worn out; takes
 * them over, also when it fails. */
bool gjk_branch_compose(gjk_editor *e, const gjk_tree_node *before, const gjk_branch *left,
                        uint32_t count, gjk_branch *out);

void gjk_branches_release(const gjk_branch *branches, uint32_t count);

/* A tree with that branch, which it takes over, in its own storage. */
gjk_status gjk_tree_make(uint32_t dimension, const gjk_branch *branch, struct gjk_tree *tree);

/* A view of all of a tree (NULL: none). A root that holds but one body stands for that. */
gjk_branch gjk_tree_branch(const struct gjk_tree *tree);

#endif
