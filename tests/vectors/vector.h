#ifndef TEST_VECTOR_H
#define TEST_VECTOR_H

#include "body.h"

#include <jansson.h>

/* One line of a file of cases. */
typedef struct test_vector {
    json_t *root; /* owned */
    const char *source, *op;
    double tolerance;
    json_t *expect;
    char *request;  /* JSON text, owned */
    test_body a, b; /* from request: a and b, or shape and nothing; built */
} test_vector;

/* Parses one line and builds its bodies in the arena. Fails the running test when it cannot. */
void test_vector_init(test_vector *vector, const char *line, struct gjk_arena *arena);
void test_vector_fini(test_vector *vector);

/* expect.name, or NAN. */
double test_vector_expected(const test_vector *vector, const char *name);
bool test_vector_expects(const test_vector *vector, const char *name);
gjk_vec3 test_vector_expected_vec(const test_vector *vector, const char *name);

#endif
