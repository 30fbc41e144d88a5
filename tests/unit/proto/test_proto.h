#ifndef TEST_PROTO_H
#define TEST_PROTO_H

/*
 * What the tests of the wire have in common. Bodies are written with ' for ", so that they can
 * be read.
 */

#include "support/test.h"

#include "proto/edit.h"
#include "proto/reply.h"

/* A copy in the arena with every ' turned into ". */
proto_text test_text(struct gjk_arena *arena, const char *quoted);

/* A row of tests/cases/refused_bodies.jsonl: an operation that refuses its body. */
struct test_refusal {
    const char *op;
    uint32_t dimension; /* of the set; 0: there is none, or the body names it */
    const char *body, *code, *pointer;
    const char *hint; /* NULL: any */
};

/* Decodes, and fails the test unless it is refused in just this way. */
void test_refused(const struct test_refusal *row);

/* Decodes into *out in the arena, and fails the test when it is refused. */
void test_accepted(struct gjk_arena *arena, proto_op op, uint32_t dimension, const char *body,
                   proto_query *out);

/* The same for the body of a set called "arena". */
void test_set_accepted(struct gjk_arena *arena, const char *body, proto_set *out);

/* Stores the shapes of a set's body, in place of those stored before. */
void test_keep(struct gjk_arena *arena, const char *body);

/* Stores a box with everything that a shape may have, and a point "dot". */
void test_keep_box(struct gjk_arena *arena);

/* Applies a change to what is stored, within limits (NULL: the usual). Returns false if it is refused,
 * with the problem. name: of a shape; NULL: of the set, "arena". */
bool test_change(struct gjk_arena *arena, proto_change_form form, const char *name, proto_text body,
                 const proto_limits *limits, proto_edits *out, struct proto_problem *problem);

/* The buffer's text must be expected, with ' for ". */
void test_wrote(const struct proto_buffer *out, const char *expected);

#define COUNT_OF(array) (int)(sizeof(array) / sizeof(array)[0])

#endif
