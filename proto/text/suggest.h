#ifndef PROTO_TEXT_SUGGEST_H
#define PROTO_TEXT_SUGGEST_H

#include "proto/problem.h"

/*
 * Gives the problem a hint about an unknown name: `did you mean "radius"?` when a known one is
 * near, or else `known <what>: ...`. Both lists end with NULL; more may be NULL.
 */
void proto_suggest(struct proto_problem *problem, const char *what, const char *name,
                   const char *const *known, const char *const *more);

#endif
