#ifndef GJKD_HTTP_CONNECTIONS_H
#define GJKD_HTTP_CONNECTIONS_H

/*
 * The connections of one loop, and how far the request on each has come: what must be known
 * to end those that are idle, too slow or gone. Nothing here knows HTTP.
 */

#include "util/network.h"

#include <stdbool.h>
#include <stdint.h>

struct gjkd_exchange;

typedef enum gjkd_progress {
    GJKD_IDLE,      /* there is no request, or not yet a whole line of it */
    GJKD_HEAD_DUE,  /* header fields are still missing */
    GJKD_BODY_DUE,  /* the body is still missing, or a part */
    GJKD_ANSWERING, /* the request is complete */
    GJKD_SENDING,   /* the answer is on its way */
    GJKD_LINGERING, /* it came before the body did, and that may still come for a moment */
} gjkd_progress;

struct gjkd_connection {
    struct gjkd_connection *next, *previous;
    int fd;
    gjkd_ip ip;
    bool fresh;                     /* no request has come on it */
    bool entered;                   /* it has been counted in the crowd of all loops */
    struct gjkd_exchange *exchange; /* the request that it is about, for its owner; or NULL */
    gjkd_progress progress;
    uint64_t overdue_ns; /* when what is due must be there: the first line, the head, the client's
                            reading of the answer or its end */
};

struct gjkd_connections {
    struct gjkd_connection *first;
    unsigned count; /* those without an entry, for want of memory, included */
    unsigned fresh; /* connections on which no request has come */
    bool closing;   /* a connection without a request is ended */
    void (*ended)(struct gjkd_connection *entry); /* told of each that a sweep ends; may be NULL */
};

/* An entry for a new connection, or NULL: it is counted, but nobody ends it early. */
struct gjkd_connection *gjkd_connections_add(struct gjkd_connections *connections, int fd);

/* The connection is closed. entry may be NULL. */
void gjkd_connections_remove(struct gjkd_connections *connections, struct gjkd_connection *entry);

/* entry may be NULL. */
void gjkd_connections_set_progress(struct gjkd_connections *connections,
                                   struct gjkd_connection *entry, gjkd_progress progress);

/*
 * Ends connections whose request's head is overdue (the body is up to their owner) or whose client
 * is gone before the request was complete; while closing, idle ones too. They are ended by shutting
 * their receiving side, so that their owner reads what has come and then the end. A client that
 * does not read its answer in time loses both sides. How many it ended.
 */
unsigned gjkd_connections_sweep(const struct gjkd_connections *connections, uint64_t now_ns);

#endif
