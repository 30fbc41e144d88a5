#ifndef PROTO_READER_DOCUMENT_H
#define PROTO_READER_DOCUMENT_H

/*
 * A body's JSON as values in an arena of its own. One decoder opens and closes it; no part of it
 * outlives the call. Its memory counts against what is left of the caller's limit.
 */

#include "gjk/arena.h"
#include "proto/limits.h"
#include "reader/value.h"
#include "text/text.h"

struct proto_document {
    struct gjk_arena scratch; /* the values, and whatever else its decoder needs for a while */
    proto_value root;
};

/*
 * MALFORMED_JSON with line and column, also for an empty body, a member that stands twice,
 * invalid UTF-8, a number too large for a double or nesting deeper than PROTO_DEPTH_MAX;
 * OUT_OF_MEMORY. Any JSON value may be at the root. The body must live until close. Close it if and
 * only if true was returned.
 */
bool proto_document_open(struct proto_document *document, proto_text body, struct gjk_arena *caller,
                         struct proto_problem *problem) GJK_MUST_USE;
void proto_document_close(struct proto_document *document);

/*
 * MergePatch(target, patch) of RFC 7396: the value that the target becomes. The target may be
 * ABSENT. Unchanged values are shared with both. False: out of memory.
 */
bool proto_merge(struct gjk_arena *arena, proto_value target, proto_value patch,
                 proto_value *out) GJK_MUST_USE;

/* Writes a JSON value in compact form, members in the order given. Depth: PROTO_DEPTH_MAX. */
void proto_put_json(struct proto_buffer *out, proto_value value);

#endif
