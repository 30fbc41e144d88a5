#ifndef PROTO_JSON_PARSE_H
#define PROTO_JSON_PARSE_H

/* Parses text into values, in one pass and without an allocation for each value. */

#include "gjk/arena.h"
#include "proto/problem.h"
#include "json/value.h"

/*
 * Parses the whole text: RFC 8259 with names that stand once and have no NUL in them, numbers that
 * are finite as doubles, rounded to nearest, and at most PROTO_DEPTH_MAX levels. Any value may be
 * at the root. Values lie in the arena and point into the text, which must live as long. Returns
 * false after having set the problem: MALFORMED_JSON with line and column of the first fault,
 * OUT_OF_MEMORY, or DEADLINE_EXCEEDED if the arena's budget is spent. Linear in the text's length;
 * takes 16 bytes a value and 8 a number in an array.
 */
bool proto_parse(proto_text text, struct gjk_arena *arena, proto_value *out,
                 struct proto_problem *problem) GJK_MUST_USE;

/*
 * Parses an object whose values stay unread: each is the text that it is written with, as a string
 * that points into the text and may be parsed by itself. So a large member costs no memory. Returns
 * false as proto_parse does; faults inside the values, but for their strings, are not found.
 */
bool proto_parse_shallow(proto_text text, struct gjk_arena *arena, proto_value *out,
                         struct proto_problem *problem) GJK_MUST_USE;

/* The same as proto_parse, of a value that proto_parse_shallow has left unread: line and column are
 * those in the text that begins at `begin`, of which it is a part. */
bool proto_parse_within(proto_text text, const char *begin, struct gjk_arena *arena,
                        proto_value *out, struct proto_problem *problem) GJK_MUST_USE;

#endif
