#ifndef PROTO_READER_DOCUMENT_H
#define PROTO_READER_DOCUMENT_H

/*
 * A body's JSON as a tree in an arena of its own. One decoder opens and closes it; no part of it
 * outlives the call. Trees are 10 to 75 times the size of their text and count against what is left
 * of the caller's limit.
 */

#include <jansson.h>

#include "gjk/arena.h"
#include "proto/limits.h"
#include "text/text.h"

struct proto_document {
    struct gjk_arena scratch; /* the tree, and whatever else its decoder needs for a while */
    json_t *root;             /* never unreferenced: it goes with the arena */
};

/*
 * MALFORMED_JSON with line and column, also for an empty body, a member that stands twice,
 * invalid UTF-8, a number too large for a double or nesting deeper than PROTO_DEPTH_MAX;
 * OUT_OF_MEMORY. Any JSON value may be at the root. Close it if and only if true was returned.
 */
bool proto_document_open(struct proto_document *document, proto_text body, struct gjk_arena *caller,
                         struct proto_problem *problem) GJK_MUST_USE;
void proto_document_close(struct proto_document *document);

/*
 * Between enter and leave this thread's JSON values are made in the document's memory. leave
 * tells whether there was enough. Not to be nested.
 */
void proto_document_enter(struct proto_document *document);
bool proto_document_leave(void);

/*
 * Parses text that replies made of a value. The document must be entered. Returns NULL when memory
 * runs out.
 */
json_t *proto_document_parse(proto_text text);

/*
 * MergePatch(target, patch) of RFC 7396: the value that the target becomes. target may be NULL
 * (there is none) and is used up; what the result shares with the patch stays the patch's. To be
 * called with the document entered whose memory the result takes. NULL: out of memory.
 */
json_t *proto_merge(json_t *target, json_t *patch);

/* Writes a JSON value in compact form, members in the order given. Depth: PROTO_DEPTH_MAX. */
void proto_put_json(struct proto_buffer *out, json_t *json);

#endif
