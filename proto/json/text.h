#ifndef PROTO_JSON_TEXT_H
#define PROTO_JSON_TEXT_H

/* UTF-8, the order of texts, and suggestions of names. */

#include <stddef.h>

#include "proto/problem.h"

/* Orders texts as strcmp does: a gjk_sort_order for arrays of texts. */
int proto_compare_texts(const void *a, const void *b);

/*
 * Returns the length in bytes, 1 to 4, of the valid UTF-8 sequence that text begins with, or 0 if
 * it begins with none (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF). Reads at
 * most length bytes; length >= 1.
 */
size_t proto_utf8_sequence(const char *text, size_t length);

/*
 * Gives the problem a hint about an unknown name: `did you mean "radius"?` if a known one is near,
 * or else `known <what>: ...`. The list ends with NULL.
 */
void proto_suggest(struct proto_problem *problem, const char *what, const char *name,
                   const char *const *known);

#endif
