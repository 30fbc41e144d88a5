#ifndef PROTO_JSON_PARSE_H
#define PROTO_JSON_PARSE_H

/* Parser from JSON text to values, in one pass and without an allocation for each value. */

#include "gjk/arena.h"
#include "proto/problem.h"
#include "json/value.h"

/*
 * Parses the whole text (RFC 8259). Stricter than the RFC: names in an object are distinct and
 * contain no NUL, numbers fit into finite doubles, nesting is at most PROTO_DEPTH_MAX. The root may
 * be any value. Values live in the arena and point into the text, which must live as long. Returns
 * false with the problem set: MALFORMED_JSON with line and column of the first fault,
 * OUT_OF_MEMORY, or DEADLINE_EXCEEDED if the arena's budget is spent. Takes linear time, and 16
 * bytes per value or 8 per number in an array.
 */
bool proto_parse(proto_text text, struct gjk_arena *arena, proto_value *out,
                 struct proto_problem *problem) GJK_MUST_USE;

/*
 * Parses an object but not its values: each value becomes a string with its source text, to be
 * parsed by proto_parse_within. So a large member costs no memory. Returns false as proto_parse
 * does; of faults inside a value only unbalanced brackets and unterminated strings are found.
 */
bool proto_parse_shallow(proto_text text, struct gjk_arena *arena, proto_value *out,
                         struct proto_problem *problem) GJK_MUST_USE;

/* Parses a value that proto_parse_shallow left as text. Lines and columns of faults count from
 * `begin`, the start of the enclosing text. */
bool proto_parse_within(proto_text text, const char *begin, struct gjk_arena *arena,
                        proto_value *out, struct proto_problem *problem) GJK_MUST_USE;

#endif
