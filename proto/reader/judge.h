#ifndef PROTO_READER_JUDGE_H
#define PROTO_READER_JUDGE_H

/* Finds the fault of a text that the parser (reader/parse.h) refuses, if there is one. */

#include "gjk/arena.h"
#include "proto/limits.h"
#include "proto/problem.h"
#include "reader/value.h"

/*
 * Parses a text, of one byte or more, with jansson into the arena. Takes whatever proto_parse does,
 * and leaves the same values of it. MALFORMED_JSON with line and column otherwise, also for a
 * member that stands twice, invalid UTF-8, a number too large for a double or nesting deeper than
 * PROTO_DEPTH_MAX; OUT_OF_MEMORY; DEADLINE_EXCEEDED where the arena's budget is spent. Its tree is
 * 10 to 90 times the text.
 */
bool proto_judge(proto_text text, struct gjk_arena *arena, proto_value *out,
                 struct proto_problem *problem);

#endif
