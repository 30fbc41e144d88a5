#ifndef PROTO_CALL_H
#define PROTO_CALL_H

/*
 * Calls over a stream: one message is one request, and one its answer, either as a JSON object or
 * as the messages Call and Answer of gjkd.proto. The body is a part of the message and is not
 * looked at here.
 */

#include "proto/buffer.h"
#include "proto/problem.h"

/* The largest id of a call. */
#define PROTO_CALL_ID_MAX ((uint64_t)1 << 53)

/* Headers of one call. */
#define PROTO_CALL_HEADERS_MAX 32

typedef struct proto_call_header {
    const char *name, *value;
} proto_call_header;

typedef struct proto_call {
    bool has_id;
    uint64_t id;
    const char *authorization; /* no call, but the message that tells the token; else NULL */
    const char *method, *path; /* "": missing */
    const char *content_type;  /* of the body; NULL: JSON */
    proto_call_header headers[PROTO_CALL_HEADERS_MAX];
    uint32_t header_count;
    proto_text body; /* data NULL: there is none */
} proto_call;

/*
 * Reads a call in either form. Texts are copied to the arena, the body stays in the message.
 * Returns false after having set the problem; the call can be refused by its id if it has one.
 */
bool proto_decode_call(proto_text message, struct gjk_arena *arena, proto_call *out,
                       struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_call_message(proto_text message, struct gjk_arena *arena, proto_call *out,
                               struct proto_problem *problem) GJK_MUST_USE;

/* Headers of an answer. */
#define PROTO_ANSWER_HEADERS_MAX 16

/* An answer without its body. */
typedef struct proto_call_answer {
    uint64_t id;
    uint64_t status;
    const char *content_type; /* of the body; NULL: there is none */
    uint64_t body_bytes;
    proto_call_header headers[PROTO_ANSWER_HEADERS_MAX];
    uint32_t header_count;
} proto_call_answer;

/* Writes {"id", "status", "headers"?, "body": and then the body has to follow, as JSON, and a
 * closing brace; if there is no body, only the brace. */
void proto_encode_answer_begin(struct proto_buffer *out, const proto_call_answer *answer);

/* Writes the message Answer up to its body, which has to follow. */
void proto_encode_answer_message(struct proto_buffer *out, const proto_call_answer *answer);

/* Writes {"id", "event": and then the event has to follow, and a closing brace. */
void proto_encode_event_begin(struct proto_buffer *out, uint64_t id);

/* Writes the beginning of an event with its own id, {"id", and then the rest of the event has to
 * follow, without its opening brace. */
void proto_encode_event_id(struct proto_buffer *out, proto_text id);

/* Writes a text as a JSON string. */
void proto_encode_text(struct proto_buffer *out, proto_text text);

#endif
