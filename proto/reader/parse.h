#ifndef PROTO_READER_PARSE_H
#define PROTO_READER_PARSE_H

/* From text to values, in one pass and without a call of an allocator for each value. */

#include "gjk/arena.h"
#include "reader/value.h"

typedef enum proto_parsed {
    PROTO_PARSE_DONE,
    PROTO_PARSE_REFUSED,   /* not JSON, or a form that is left to the judge (reader/judge.h) */
    PROTO_PARSE_NO_MEMORY, /* of the arena */
    PROTO_PARSE_LATE,      /* the arena's the budget is spent */
} proto_parsed;

/*
 * Parses the whole text. What is taken is RFC 8259 with names that stand once and have no NUL in
 * them, numbers that are finite as doubles, rounded to nearest, and at most PROTO_DEPTH_MAX levels.
 * Values lie in the arena and point into the text, which must live as long. Linear in the text's
 * length, of which the arena's budget is asked now and then; takes 16 bytes a value and 8 a number
 * in an array.
 */
proto_parsed proto_parse(proto_text text, struct gjk_arena *arena, proto_value *out);

/*
 * The parts of it. Each reads what begins at *at, moves *at behind it, and returns false where it
 * is not what it must be, or where none could be left out of memory.
 */

/* A string, from its quote on. */
proto_parsed proto_parse_string(const char **at, const char *end, struct gjk_arena *arena,
                                proto_value *out);
/* A number. */
bool proto_parse_number(const char **at, const char *end, double *out);

/*
 * Checks that no two of the names, which stand in every other value, are alike. May also give the
 * text up to the judge where names were chosen to make the check slow.
 */
proto_parsed proto_check_names(const proto_value *pairs, size_t count, struct gjk_arena *arena);

#endif
