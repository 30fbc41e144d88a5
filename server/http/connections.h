#ifndef GJKD_HTTP_CONNECTIONS_H
#define GJKD_HTTP_CONNECTIONS_H

/*
 * Table of the connections of one loop, with the progress of the request on each. The sweep uses it
 * to end connections that are idle, too slow or disconnected. Independent of HTTP.
 */

#include "util/hash.h"
#include "util/network.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

struct gjkd_exchange;
struct gjkd_stream;

typedef enum gjkd_progress {
    GJKD_IDLE,      /* no request, or an incomplete request line */
    GJKD_HEAD_DUE,  /* the header fields are incomplete */
    GJKD_BODY_DUE,  /* the body is incomplete */
    GJKD_ANSWERING, /* the request is complete */
    GJKD_SENDING,   /* the answer is being sent */
    GJKD_WATCHING,  /* the answer is an open-ended stream of events */
    GJKD_STREAMING, /* the connection has become a stream */
    GJKD_LINGERING, /* the answer was sent early; the rest of the body is discarded for a moment */
} gjkd_progress;

struct gjkd_connection {
    LIST_ENTRY(gjkd_connection) link; /* in gjkd_connections.list */
    int fd;
    gjkd_ip ip;
    bool fresh;                     /* no request has begun on this connection */
    bool has_token;                 /* a request on this connection had a token */
    bool revoked;                   /* `token` is no longer valid: the connection is ended */
    gjkd_digest token;              /* digest of the last token, if has_token */
    struct gjkd_exchange *exchange; /* the current request, or NULL */
    struct gjkd_stream *stream;     /* the stream that the connection was upgraded to, or NULL */
    gjkd_progress progress;
    uint64_t reply_bytes;        /* length of the long answer being sent; 0 if there is none */
    uint64_t acknowledged_bytes; /* bytes acknowledged by the client before that answer began */
    uint64_t window_ns, window_bytes; /* start of the current window of reading, in ns, and the
                                         bytes acknowledged before it */
    uint64_t overdue_ns; /* deadline of the current progress: for the request line, the head, the
                            reading of the answer, or the lingering close */
};

/*
 * Slowest rate at which a client may read a long answer: GJKD_READ_BYTES_PER_S in each window of
 * GJKD_READ_WINDOW_S, measured by the bytes that its TCP acknowledges. The last
 * GJKD_LONG_REPLY_BYTES of an answer are exempt.
 */
#define GJKD_READ_BYTES_PER_S ((uint64_t)64 << 10)
#define GJKD_READ_WINDOW_S 10
#define GJKD_LONG_REPLY_BYTES ((uint64_t)1 << 20)

/* Starts to measure how fast the client reads an answer of `bytes` bytes. */
void gjkd_connection_expect_reading(struct gjkd_connection *entry, uint64_t bytes, uint64_t now_ns);

struct gjkd_connections {
    LIST_HEAD(, gjkd_connection) list;
    unsigned count; /* open connections, also those for whose entry there was no memory */
    unsigned fresh; /* connections on which no request has begun */
    bool closing;   /* the loop is closing: connections without a request are ended */
    void (*ended)(
        struct gjkd_connection *entry); /* called for each connection that a sweep ends, or NULL */
};

/* Adds an entry for a new connection. Returns NULL if memory is exhausted; the connection is
 * counted, but never swept. */
struct gjkd_connection *gjkd_connections_add(struct gjkd_connections *connections, int fd);

/* Removes a connection that is closed. `entry` may be NULL. */
void gjkd_connections_remove(struct gjkd_connections *connections, struct gjkd_connection *entry);

/* Notes the progress of the request. While the loop closes or if the token was revoked, GJKD_IDLE
 * ends the connection. `entry` may be NULL. */
void gjkd_connections_set_progress(struct gjkd_connections *connections,
                                   struct gjkd_connection *entry, gjkd_progress progress);

/*
 * Ends connections that are past overdue_ns (exchange.h checks overdue bodies), whose client
 * disconnected before its request was complete, whose client reads its answer too slowly, and idle
 * ones if the loop closes or their token was revoked. Shuts the receiving side, so that
 * libmicrohttpd reads the bytes that have arrived and then end of file; shuts both sides if the
 * client does not read its answer. Event streams and upgraded connections are ended by `ended`
 * alone. Returns the number of connections ended.
 */
unsigned gjkd_connections_sweep(const struct gjkd_connections *connections, uint64_t now_ns);

/*
 * Lingering close: closing a socket with unread bytes resets the connection, and the reset may
 * destroy an answer that the client has not read yet. Connections that were refused in the middle
 * of their body are therefore read and discarded for a moment before they are closed.
 */

/* Time that a connection lingers, and the number of lingering connections of a loop; past that
 * number connections close at once. */
#define GJKD_LINGER_MS 1000
#define GJKD_LINGERING_CLOSES_MAX 256

struct gjkd_lingering_closes {
    uv_loop_t *uv;
    unsigned count;
};

/* Starts a lingering close. libmicrohttpd is about to shut and close fd, so a duplicate of fd keeps
 * the connection open and is closed at the end. */
void gjkd_lingering_close_start(struct gjkd_lingering_closes *all, int fd);

#endif
