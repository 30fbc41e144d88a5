#ifndef GJK_TREE_EDIT_STATE_H
#define GJK_TREE_EDIT_STATE_H

/*
 * The state that the passes of an edit share (move.c, insert.c): its operations, body by body, and
 * lists of those that concern a branch; and the composition of changed branches (rebuild.c).
 */

#include "gjk/budget.h"
#include "tree/node.h"
#include "tree/tree.h"

typedef struct gjk_op {
    const gjk_body *from, *to; /* from NULL: to be inserted; both NULL: done */
    gjk_bounds was, box;       /* the boxes of from and to */
    const gjk_motion *motion;  /* instead of `to`, in a span */
} gjk_op;

typedef struct gjk_editor {
    uint32_t dimension;
    bool span;
    gjk_op *ops;
    uint32_t *table; /* numbers of ops, from 1, hashed by `from`; NULL: few ops */
    uint32_t table_shift;
    uint32_t *stack; /* lists of numbers of ops */
    size_t top, capacity;
    gjk_budget *budget; /* given up: what fails does so because of it */
} gjk_editor;

/* A list on the stack. */
typedef struct gjk_ops {
    size_t at;
    uint32_t count;
} gjk_ops;

/* Initialises an editor, of which dimension and span are set and the rest is 0, for the changes of
 * a tree of `held` bodies. False: out of memory; call fini all the same. */
bool gjk_editor_init(gjk_editor *e, const gjk_tree_change *changes, uint32_t count, uint32_t held);
void gjk_editor_fini(gjk_editor *e);

/* Lists all ops of removed and moved bodies, or else (moves false) of bodies still to be inserted,
 * as the only list on the stack. */
gjk_ops gjk_ops_list(gjk_editor *e, uint32_t count, bool moves);

/* Doubles the stack. False: out of memory. */
bool gjk_ops_grow(gjk_editor *e);

/* Pushes a number. False: out of memory. */
static inline bool gjk_ops_push(gjk_editor *e, uint32_t number) {
    if (e->top == e->capacity && !gjk_ops_grow(e)) {
        return false;
    }
    e->stack[e->top++] = number;
    return true;
}

/* Pushes the ops whose masks, which stand on the stack at `masks`, have bit i. False: out of
 * memory. */
bool gjk_ops_select(gjk_editor *e, gjk_ops ops, size_t masks, uint32_t i, gjk_ops *out);

/* Removes from the list on top of the stack the ops that were done in another branch. */
gjk_ops gjk_ops_drop_done(gjk_editor *e, gjk_ops ops);

static inline gjk_op *gjk_op_at(gjk_editor *e, gjk_ops ops, uint32_t i) {
    return &e->ops[e->stack[ops.at + i]];
}

/* The op that removes or moves a body, by the table, or NULL. */
gjk_op *gjk_op_look_up(const gjk_editor *e, const gjk_body *body);

/* The first pass, from the root with all ops: drops removed bodies, and refits moved ones where they
 * are unless they moved far. out: what is left, retained; `what` is NULL where no body is. False:
 * out of memory. */
bool gjk_branch_move(gjk_editor *e, const gjk_branch *root, uint32_t count, gjk_branch *out);

/* The second pass: inserts bodies. Result as above. */
bool gjk_branch_insert(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out);

/* Builds a branch over the bodies of another, which stays as it is, and those that ops insert.
 * False: out of memory. */
bool gjk_branch_rebuild(gjk_editor *e, const gjk_branch *branch, gjk_ops ops, gjk_branch *out);

/* Makes one branch of what is left of a node's branches, rebuilt where it has degraded. Takes their
 * references, also when it fails. */
bool gjk_branch_compose(gjk_editor *e, const gjk_tree_node *before, const gjk_branch *left,
                        uint32_t count, gjk_branch *out);

void gjk_branches_release(const gjk_branch *branches, uint32_t count);

/* Initialises a tree with a branch, of which it takes the reference. */
gjk_status gjk_tree_make(uint32_t dimension, const gjk_branch *branch, struct gjk_tree *tree);

/* A view of all of a tree (NULL: no bodies). A root with one body stands for that body. */
gjk_branch gjk_tree_branch(const struct gjk_tree *tree);

#endif
