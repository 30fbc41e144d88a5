#ifndef PROTO_PROBLEM_H
#define PROTO_PROBLEM_H

/*
 * Everything that can be refused, in one table: enum name, HTTP status, code on
 * the wire, title, and what GET /problems/<code> tells about cause and remedy.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The table itself lives in problem_table.h: X(NAME, http status, "code", "title", "text") */
#include "proto/problem_table.h"

typedef enum proto_code {
    PROTO_OK, /* no problem */
#define X(name, status, code, title, text) PROTO_##name,
    PROTO_PROBLEM_TABLE(X)
#undef X
        PROTO_CODE_COUNT
} proto_code;

#define PROTO_POINTER_MAX 384
#define PROTO_DETAIL_MAX 384
#define PROTO_HINT_MAX 320

/* Mistakes that one refusal tells at most. */
#define PROTO_ERRORS_MAX 16

/* A mistake in a body beside the first one, with texts as below. */
typedef struct proto_error {
    proto_code code;
    const char *pointer, *detail;
} proto_error;

/*
 * One refusal, named after the first mistake. pointer is a JSON pointer (RFC 6901) into the
 * request's body, "" where no place in the body is to blame. Texts are cut, never overrun, and
 * hold valid UTF-8. The further mistakes of a body lie in the arena of the decoder that found
 * them.
 */
struct proto_problem {
    proto_code code;
    char pointer[PROTO_POINTER_MAX];
    char detail[PROTO_DETAIL_MAX];
    char hint[PROTO_HINT_MAX]; /* "": none */
    uint64_t limit;            /* valid when has_limit */
    bool has_limit;
    uint64_t revision; /* at which the set is now; 0: not told */
    const proto_error *more;
    uint32_t more_count; /* less than PROTO_ERRORS_MAX */
};

/* Sets code, pointer "" and a detail in printf form; no hint, no limit. Returns false,
 * so that a decoder can write `return proto_problem_set(...)`. */
bool proto_problem_set(struct proto_problem *problem, proto_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add to a problem that is set. All return false. A pointer that does not fit is cut
 * back to that of an enclosing value. */
bool proto_problem_point(struct proto_problem *problem, const char *pointer);
bool proto_problem_hint(struct proto_problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool proto_problem_limit(struct proto_problem *problem, uint64_t limit);

int proto_code_status(proto_code code);        /* 422 ... */
const char *proto_code_text(proto_code code);  /* "unknown-member" */
const char *proto_code_title(proto_code code); /* short, the same for every occurrence */
const char *proto_code_explanation(proto_code code);
/* Returns the code with that text, or PROTO_OK. text need not be NUL-terminated. */
proto_code proto_code_find(const char *text, size_t length);

/* Returns the known name (a list that ends with NULL) that was probably meant, or NULL. */
const char *proto_nearest_name(const char *name, const char *const *known);

#endif
