/*
 * Opens a body: the parser reads it, and what it does not take goes to the judge, which tells what
 * is wrong or, for odd forms, takes it after all.
 */

#include "reader/document.h"

#include "reader/judge.h"
#include "reader/parse.h"

/* Memory that a document gets from its caller's arena, which is enough for most. */
#define DOCUMENT_BYTES_A_BYTE 8
#define DOCUMENT_LENT_MAX 65536

/* The bytes left of the caller's limit; 0 means no limit, as in gjk_arena_init. */
static size_t bytes_left(const struct gjk_arena *caller) {
    if (caller->limit_bytes == 0) {
        return 0;
    }
    return caller->limit_bytes > caller->used_bytes ? caller->limit_bytes - caller->used_bytes : 1;
}

/*
 * Takes the first block of a document from the caller's arena, whose memory is reused from one request
 * to the next.
 */
static void init_scratch(struct proto_document *document, size_t body_bytes,
                         struct gjk_arena *caller) {
    const size_t limit = bytes_left(caller);
    const size_t wanted = 128 + DOCUMENT_BYTES_A_BYTE * body_bytes;
    const size_t size = wanted < DOCUMENT_LENT_MAX ? wanted : DOCUMENT_LENT_MAX;
    void *block = gjk_arena_alloc(caller, size);

    if (block != NULL) {
        gjk_arena_init_in(&document->scratch, limit, block, size);
    } else {
        gjk_arena_init(&document->scratch, limit);
    }
    gjk_arena_charge(&document->scratch, caller->account);
    gjk_arena_set_budget(&document->scratch, caller->budget);
}

bool proto_document_open(struct proto_document *document, proto_text body, struct gjk_arena *caller,
                         struct proto_problem *problem) {
    if (body.length == 0) {
        return proto_problem_set(problem, PROTO_MALFORMED_JSON,
                                 "line 1, column 1: the body is empty");
    }
    init_scratch(document, body.length, caller);
    switch (proto_parse(body, &document->scratch, &document->root)) {
    case PROTO_PARSE_DONE:
        return true;
    case PROTO_PARSE_NO_MEMORY:
        proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                          "the body's JSON needs more memory than there is");
        break;
    case PROTO_PARSE_LATE:
        proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                          "time was up before all of it was read");
        break;
    case PROTO_PARSE_REFUSED:
        proto_document_close(document);
        init_scratch(document, body.length, caller);
        if (proto_judge(body, &document->scratch, &document->root, problem)) {
            return true;
        }
        break;
    }
    proto_document_close(document);
    return false;
}

void proto_document_close(struct proto_document *document) {
    gjk_arena_fini(&document->scratch);
}
