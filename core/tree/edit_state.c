/*
 * The state of an edit: its operations are stored once, and what is passed down the tree are lists
 * of their numbers on one stack. Where at least one body in ONE_IN is removed or moved, a hash
 * table finds the operation of any body instead.
 */

#include "tree/edit_state.h"

#include <stdlib.h>
#include <string.h>

#define ONE_IN 4

bool gjk_ops_grow(gjk_editor *e) {
    size_t capacity = 2 * e->capacity;
    uint32_t *stack = malloc(capacity * sizeof *stack);
    if (stack == NULL) {
        return false;
    }
    memcpy(stack, e->stack, e->top * sizeof *stack);
    free(e->stack);
    e->stack = stack;
    e->capacity = capacity;
    return true;
}

bool gjk_ops_select(gjk_editor *e, gjk_ops ops, size_t masks, uint32_t i, gjk_ops *out) {
    *out = (gjk_ops){e->top, 0};
    for (uint32_t k = 0; k < ops.count; k++) {
        if ((e->stack[masks + k] >> i & 1) != 0) {
            if (!gjk_ops_push(e, e->stack[ops.at + k])) {
                return false;
            }
            out->count++;
        }
    }
    return true;
}

gjk_ops gjk_ops_drop_done(gjk_editor *e, gjk_ops ops) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ops.count; i++) {
        if (gjk_op_at(e, ops, i)->from != NULL) {
            e->stack[ops.at + count++] = e->stack[ops.at + i];
        }
    }
    e->top = ops.at + count;
    return (gjk_ops){ops.at, count};
}

/* The first slot of the table for a body (Fibonacci hashing). */
static uint32_t hash(const gjk_editor *e, const void *body) {
    return (uint32_t)(((uint64_t)(uintptr_t)body * UINT64_C(0x9E3779B97F4A7C15)) >> e->table_shift);
}

/* Fills the table, open addressing with linear probing, at most half full. */
static bool make_table(gjk_editor *e, uint32_t count) {
    e->table_shift = 63;
    while (UINT64_C(1) << (64 - e->table_shift) < 2 * (uint64_t)count) {
        e->table_shift--;
    }
    const uint32_t last = (uint32_t)((UINT64_C(1) << (64 - e->table_shift)) - 1);
    e->table = malloc(((size_t)last + 1) * sizeof *e->table);
    if (e->table == NULL) {
        return false;
    }
    memset(e->table, 0, ((size_t)last + 1) * sizeof *e->table);
    for (uint32_t i = 0; i < count; i++) {
        if (e->ops[i].from != NULL) {
            uint32_t at = hash(e, e->ops[i].from);
            while (e->table[at] != 0) {
                at = (at + 1) & last;
            }
            e->table[at] = i + 1;
        }
    }
    return true;
}

gjk_op *gjk_op_look_up(const gjk_editor *e, const gjk_body *body) {
    const uint32_t last = (uint32_t)((UINT64_C(1) << (64 - e->table_shift)) - 1);
    for (uint32_t at = hash(e, body); e->table[at] != 0; at = (at + 1) & last) {
        gjk_op *op = &e->ops[e->table[at] - 1];
        if (op->from == body) {
            return op;
        }
    }
    return NULL;
}

bool gjk_editor_init(gjk_editor *e, const gjk_tree_change *changes, uint32_t count, uint32_t held) {
    uint32_t replaced = 0;
    e->capacity = 2 * (size_t)count + 64;
    e->ops = malloc(((size_t)count + 1) * sizeof *e->ops);
    e->stack = malloc(e->capacity * sizeof *e->stack);
    if (e->ops == NULL || e->stack == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_op *op = &e->ops[i];
        *op = (gjk_op){.from = changes[i].from, .to = changes[i].to};
        replaced += op->from != NULL;
        if (op->to != NULL && !e->span) {
            op->box = gjk_box_of(&op->to->placed);
        }
    }
    if (replaced > 0 && replaced >= held / ONE_IN) {
        return make_table(e, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        gjk_op *op = &e->ops[i];
        if (op->from != NULL) {
            op->was = gjk_box_of(&op->from->placed);
        }
    }
    return true;
}

void gjk_editor_fini(gjk_editor *e) {
    free(e->ops);
    free(e->stack);
    free(e->table);
}

gjk_ops gjk_ops_list(gjk_editor *e, uint32_t count, bool moves) {
    gjk_ops ops = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const gjk_op *op = &e->ops[i];
        if (moves ? op->from != NULL : op->to != NULL) {
            e->stack[ops.count++] = i;
        }
    }
    e->top = ops.count;
    return ops;
}
