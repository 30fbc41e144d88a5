#ifndef TEST_PROTO_H
#define TEST_PROTO_H

/*
 * What the tests of the wire have in common. Bodies are written with ' for ", so that they can
 * be read; a table row is a body and how it must be refused.
 */

#include "support/test.h"

#include "proto/reply.h"

/* A copy in the arena with every ' turned into ". */
proto_text test_text(struct gjk_arena *arena, const char *quoted);

struct query_refusal {
    proto_op op;
    uint32_t dimension; /* of the set; 0: stateless */
    const char *body;
    const char *code;
    const char *pointer;
};

/* Decodes, and fails the test unless it is refused in just this way. hint may be NULL. */
void test_refused(const struct query_refusal *row, const char *hint);

/* Decodes into *out in the arena, and fails the test when it is refused. */
void test_accepted(struct gjk_arena *arena, proto_op op, uint32_t dimension, const char *body,
                   proto_query *out);

/* As test_refused, for the body of a set called "arena". */
void test_set_refused(const char *body, proto_code code, const char *pointer, const char *hint);
void test_set_accepted(struct gjk_arena *arena, const char *body, proto_set *out);

/* The buffer's text must be expected, with ' for ". */
void test_wrote(const struct proto_buffer *out, const char *expected);

#define COUNT_OF(array) (int)(sizeof(array) / sizeof(array)[0])

#endif
