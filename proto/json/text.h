#ifndef PROTO_JSON_TEXT_H
#define PROTO_JSON_TEXT_H

/* UTF-8, comparison of texts, and suggestions for misspelled names. */

#include <stddef.h>

#include "proto/problem.h"

/* Orders texts as strcmp does: a gjk_sort_order for arrays of texts. */
int proto_compare_texts(const void *a, const void *b);

/*
 * Returns the length in bytes, 1 to 4, of the valid UTF-8 sequence at the start of text, or 0 if
 * there is none (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). length >= 1.
 */
size_t proto_utf8_sequence(const char *text, size_t length);

/*
 * Sets the problem's hint for an unknown name: `did you mean "radius"?` if a known name is similar,
 * else `known <what>: ...` with all of them. NULL is last in `known`.
 */
void proto_suggest(struct proto_problem *problem, const char *what, const char *name,
                   const char *const *known);

#endif
