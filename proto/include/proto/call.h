#ifndef PROTO_CALL_H
#define PROTO_CALL_H

/*
 * Calls over a stream (WebSocket): one message carries one request, another its answer, either as a
 * JSON object or as the messages Call and Answer of gjkd.proto. The body is a part of the message;
 * it is not parsed here.
 */

#include "proto/buffer.h"
#include "proto/problem.h"

/* Largest id of a call. */
#define PROTO_CALL_ID_MAX ((uint64_t)1 << 53)

/* Maximum number of headers of a call. */
#define PROTO_CALL_HEADERS_MAX 32

typedef struct proto_call_header {
    const char *name, *value;
} proto_call_header;

typedef struct proto_call {
    bool has_id;
    uint64_t id;
    const char *authorization; /* value of the message that authenticates the stream; else NULL */
    const char *method, *path; /* "": missing */
    const char *content_type;  /* of the body; NULL: JSON */
    proto_call_header headers[PROTO_CALL_HEADERS_MAX];
    uint32_t header_count;
    proto_text body; /* data is NULL if there is no body */
} proto_call;

/*
 * Decode a call from JSON, or from a message Call. Texts are copied to the arena; the body points
 * into `message`. Return false with the problem set; if out->has_id, the refusal can be sent as the
 * answer to that id.
 */
bool proto_decode_call(proto_text message, struct gjk_arena *arena, proto_call *out,
                       struct proto_problem *problem) GJK_MUST_USE;
bool proto_decode_call_message(proto_text message, struct gjk_arena *arena, proto_call *out,
                               struct proto_problem *problem) GJK_MUST_USE;

/* Maximum number of headers of an answer. */
#define PROTO_ANSWER_HEADERS_MAX 16

/* An answer without its body. */
typedef struct proto_call_answer {
    uint64_t id;
    uint64_t status;
    const char *content_type; /* of the body; NULL: there is no body */
    uint64_t body_bytes;
    proto_call_header headers[PROTO_ANSWER_HEADERS_MAX];
    uint32_t header_count;
} proto_call_answer;

/* Writes {"id", "status", "headers"?, "body": . The caller appends the body as JSON and "}".
 * Without a body, "body" is left out and the caller appends only "}". */
void proto_encode_answer_begin(struct proto_buffer *out, const proto_call_answer *answer);

/* Writes the message Answer up to its body. The caller appends the body. */
void proto_encode_answer_message(struct proto_buffer *out, const proto_call_answer *answer);

/* Writes {"id", "event": . The caller appends the event as JSON and "}". */
void proto_encode_event_begin(struct proto_buffer *out, uint64_t id);

/* Writes {"id": id, . The caller appends the event without its opening brace. */
void proto_encode_event_id(struct proto_buffer *out, proto_text id);

/* Writes a text as a JSON string. */
void proto_encode_text(struct proto_buffer *out, proto_text text);

#endif
