#ifndef PROTO_READER_REFUSE_H
#define PROTO_READER_REFUSE_H

/* State of a decoder, and functions that refuse a wrong value. */

#include "gjk/base.h"
#include "proto/limits.h"
#include "reader/node.h"
#include "text/text.h"

struct proto_reader {
    const proto_limits *limits;
    struct gjk_arena *arena;   /* the caller's: for what the decoder answers */
    struct gjk_arena *scratch; /* the document's: for what is needed on the way */
    struct proto_problem *problem;
    struct proto_buffer text; /* in scratch; for whoever needs a compact text */
    proto_error *more;        /* in arena: the problem's further mistakes; NULL: none yet */
    uint32_t error_count;     /* of mistakes told; PROTO_ERRORS_MAX: no more are looked for */
};

/*
 * Returns true if fewer than PROTO_ERRORS_MAX mistakes were found, so that decoders should look for
 * more. To be asked for each item of a list: it is the place where the arena's budget is spent,
 * which refuses too.
 */
bool proto_may_go_on(struct proto_reader *reader);

/*
 * Refuse at a node. All return false. The first mistake becomes the problem, later ones are added
 * to it; of one place only the first is told. A lack of memory or time replaces them all.
 */
bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected);
/* Refuses a missing member, unless an unknown one beside it is probably this one, misspelt. */
bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at);
bool proto_refuse_memory(struct proto_reader *reader);
bool proto_refuse_late(struct proto_reader *reader);
/* Refuses a number of things, called `what`, that exceeds limit. */
bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit);
/* The code of a status of the core. */
proto_code proto_code_of(gjk_status status);
/* Refuses the node because of the core's status; OUT_OF_MEMORY and GIVEN_UP do not blame the node. */
bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status);

/* proto_suggest for a name from the document. */
void proto_suggest_near(struct proto_reader *reader, const char *what, proto_text name,
                        const char *const *known, const char *const *more);

/*
 * Checks that every member of the object is in one of the lists (NULL at their ends; more may be
 * NULL). Refuses each that is not with UNKNOWN_MEMBER and a hint.
 */
bool proto_check_members(struct proto_reader *reader, const proto_node *object,
                         const char *const *known, const char *const *more);

#endif
