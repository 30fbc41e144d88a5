#ifndef GJKD_REQUEST_REPLY_H
#define GJKD_REQUEST_REPLY_H

/* The answer to a request. Texts are borrowed until it has been sent. */

#include "proto/reply.h"
#include "sets/etag.h"
#include "watch/watch.h"

#define GJKD_JSON_TYPE "application/json; charset=utf-8"

#define GJKD_EVENT_STREAM_TYPE "text/event-stream"

/* Writes the next bytes of a body, length of them unless it ends, or memory is exhausted; returns
 * how many. SIZE_MAX: the body cannot be continued, and the connection is cut. */
typedef size_t (*gjkd_reply_reader)(void *reader, char *to, size_t length);

typedef struct gjkd_reply {
    int status; /* 0: none yet */
    const char *content_type;
    const char *content_encoding; /* NULL: none */
    bool varies_by_coding;        /* whether it depends on Accept-Encoding */
    const char *data; /* the body, of `length` bytes, unless it stands in texts or is read */
    size_t length;
    const proto_text *texts; /* it is in so many pieces; NULL: it is not */
    size_t text_count;
    gjkd_reply_reader read; /* called for it piece by piece; NULL: it is not */
    void *reader;
    bool is_open_ended;           /* it is read until it ends; length is what was read so far */
    const gjkd_watch_spec *watch; /* it is a stream of these events; NULL: it is not */
    char etag[GJKD_ETAG_MAX];     /* "": none */
    const char *allow;            /* NULL: none */
    uint64_t retry_after_s;       /* 0: none; 429 and 503 have one */
    const char *policy;           /* Content-Security-Policy; NULL: none */
    const char *challenge;        /* WWW-Authenticate; NULL: none */
    bool tells_version;           /* of WebSockets that a stream takes, in a refused handshake */
    const char *accept_key;       /* 101 only: the proof that the handshake was understood */
    const char *protocol;         /* 101 only: that of the stream; NULL: none was offered */
    bool close;                   /* end the connection after it */
} gjkd_reply;

/* Sets status 200 and a body; other members stay. */
void gjkd_reply_set_body(gjkd_reply *reply, const char *content_type, const char *data,
                         size_t length);

/* The same for a body of so many bytes that read(reader, ...) gives while it is sent. */
void gjkd_reply_set_stream(gjkd_reply *reply, gjkd_reply_reader read, void *reader,
                           uint64_t length);

/* The detail of a problem with the answer of a write that is made: it is not to be sent again. */
#define GJKD_WRITE_IS_MADE "the write is made, but its answer does not fit into memory: GET the set"

/* Sets status and body to those of the problem (RFC 9457), made in the arena, and takes the ETag
 * away. Where the arena has no memory left, the body is a constant for out-of-memory, which tells
 * GJKD_WRITE_IS_MADE if the problem does. */
void gjkd_reply_set_problem(gjkd_reply *reply, const struct proto_problem *problem,
                            struct gjk_arena *arena);

#endif
