#ifndef GJKD_HTTP_CONNECTIONS_H
#define GJKD_HTTP_CONNECTIONS_H

/*
 * The connections of one loop and the progress of the request on each: what is needed to end those
 * that are idle, too slow or disconnected. Independent of HTTP.
 */

#include "util/hash.h"
#include "util/network.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct gjkd_exchange;
struct gjkd_stream;

typedef enum gjkd_progress {
    GJKD_IDLE,      /* no request, or an incomplete request line */
    GJKD_HEAD_DUE,  /* the header fields are incomplete */
    GJKD_BODY_DUE,  /* the body is incomplete */
    GJKD_ANSWERING, /* the request is complete */
    GJKD_SENDING,   /* the answer is on its way */
    GJKD_WATCHING,  /* the answer is a stream of events, without an end of its own */
    GJKD_STREAMING, /* the connection has become a stream */
    GJKD_LINGERING, /* the answer was sent early; the rest of the body is discarded for a moment */
} gjkd_progress;

struct gjkd_connection {
    struct gjkd_connection *next, *previous;
    int fd;
    gjkd_ip ip;
    bool fresh;     /* no request has begun on it */
    bool has_token; /* a request on it had a token, the last one `token` */
    bool revoked;   /* which is in force no more: the connection is ended */
    gjkd_digest token;
    struct gjkd_exchange *exchange; /* the current request, or NULL */
    struct gjkd_stream *stream;     /* what the connection has become, or NULL */
    gjkd_progress progress;
    uint64_t reply_bytes;             /* of a long answer that is being sent; 0: of none */
    uint64_t acknowledged_bytes;      /* by the client, when the answer began ... */
    uint64_t window_ns, window_bytes; /* ... and at the beginning of the current window */
    uint64_t overdue_ns; /* when what is due must be complete: the request line, the head, the
                            client's reading of the answer, or the lingering */
};

/*
 * The client must read a long answer at GJKD_READ_BYTES_PER_S or faster, judged by what its side
 * acknowledges in each window of GJKD_READ_WINDOW_S, as long as more than GJKD_LONG_REPLY_BYTES of
 * it are left.
 */
#define GJKD_READ_BYTES_PER_S ((uint64_t)64 << 10)
#define GJKD_READ_WINDOW_S 10
#define GJKD_LONG_REPLY_BYTES ((uint64_t)1 << 20)

/* Begins to watch how fast the client reads an answer of so many bytes. */
void gjkd_connection_expect_reading(struct gjkd_connection *entry, uint64_t bytes, uint64_t now_ns);

struct gjkd_connections {
    struct gjkd_connection *first;
    unsigned count; /* including those without an entry, for lack of memory */
    unsigned fresh; /* connections on which no request has begun */
    bool closing;   /* connections without a request are ended */
    void (*ended)(
        struct gjkd_connection *entry); /* called for each one that a sweep ends; may be NULL */
};

/* An entry for a new connection. NULL: out of memory; the connection is counted but never swept. */
struct gjkd_connection *gjkd_connections_add(struct gjkd_connections *connections, int fd);

/* The connection is closed. entry may be NULL. */
void gjkd_connections_remove(struct gjkd_connections *connections, struct gjkd_connection *entry);

/* entry may be NULL. */
void gjkd_connections_set_progress(struct gjkd_connections *connections,
                                   struct gjkd_connection *entry, gjkd_progress progress);

/*
 * Ends connections whose head is overdue (bodies are exchange.h's) or whose client disconnected
 * before the request was complete, and idle ones while closing or whose token was revoked. Their
 * receiving side is shut, so that libmicrohttpd reads what has come and then the end; both sides
 * are shut where a client does not read its answer in time. Watching connections are left to
 * `ended`. Returns how many it ended.
 */
unsigned gjkd_connections_sweep(const struct gjkd_connections *connections, uint64_t now_ns);

/*
 * Lingering close: closing a socket with unread bytes resets the connection, and the reset may
 * destroy an answer that the client has not read yet. Connections that were refused in the middle
 * of their body are therefore read and discarded for a moment before they are closed.
 */

/* How long a connection lingers, and how many of a loop at once; others are closed at once. */
#define GJKD_LINGER_MS 1000
#define GJKD_LINGERING_CLOSES_MAX 256

struct gjkd_lingering_closes {
    uv_loop_t *uv;
    unsigned count;
};

/* Keeps the connection open by a duplicate of fd, which libmicrohttpd is about to shut and close,
 * and closes that in the end. */
void gjkd_lingering_close_start(struct gjkd_lingering_closes *all, int fd);

#endif
