#ifndef GJKD_HTTP_STATE_H
#define GJKD_HTTP_STATE_H

/*
 * State shared by the modules of this folder: the HTTP side of one loop, and its exchanges. An
 * exchange is one request on a connection. All of it is used only on the thread of its loop.
 */

#include "http/connections.h"
#include "request/request.h"
#include "watch/watch.h"
#include "work/chunks.h"
#include "work/fair_queue.h"

#include <microhttpd.h>

/* Longest time that a connection may be silent. */
#define GJKD_IDLE_TIMEOUT_S 60

/* The longest time between two sweeps. */
#define GJKD_SWEEP_MS 1000

/* Longest round of a loop. After that time the loop hands the remaining requests to workers. */
#define GJKD_ROUND_MAX_NS UINT64_C(4000000)

enum gjkd_stage {
    GJKD_STAGE_HEAD,    /* the target is known */
    GJKD_STAGE_BODY,    /* the head is known */
    GJKD_STAGE_READY,   /* complete, to be run by a worker */
    GJKD_STAGE_WORKING, /* at a worker */
    GJKD_STAGE_DONE,    /* there is a reply */
    GJKD_STAGE_CUT_OFF, /* the reply was sent although the body is incomplete */
};

/* Part of a stream's call that its exchange knows. */
struct gjkd_call {
    /* Called when the call is answered. `answer` has the reply: it is `exchange` itself, or the
     * replacement if the deadline passed. */
    void (*answered)(struct gjkd_exchange *exchange, struct gjkd_exchange *answer);
    /* Called when the reply of `answer` keeps too much memory unread. Ends the stream. */
    void (*unread)(struct gjkd_exchange *answer);
};

LIST_HEAD(gjkd_exchanges, gjkd_exchange);

/* One request on a connection, or a call of a stream. */
struct gjkd_exchange {
    struct gjkd_task_group group; /* first: a group is cast to its exchange */
    struct gjkd_request request;
    struct gjkd_http *http;
    struct MHD_Connection *connection; /* NULL for a call, or after a replacement took it */
    struct gjkd_exchange *replacement; /* takes the connection at the next callback, or NULL */
    struct gjkd_exchange *next;     /* next spare exchange, or next unsent answer of the stream */
    struct gjkd_exchanges *list;    /* http->awaiting_body or http->working; NULL if in neither */
    LIST_ENTRY(gjkd_exchange) link; /* in that list */
    bool is_reading;                /* it is in http->reading */
    LIST_ENTRY(gjkd_exchange) reading;
    uint64_t window_ns, window_bytes; /* start of the window in which the body's rate, or the
                                         client's reading, is measured, and the bytes before it */
    struct gjkd_account account; /* pays for the exchange itself, since an expired request may leave
                                    its own account to its arena */
    enum gjkd_stage stage;
    struct gjkd_call *call;     /* the call of a stream that this is; NULL on a connection */
    struct gjkd_watch *watch;   /* source of the events in the answer's body, or NULL */
    bool is_out_of_events;      /* the connection is suspended until there are events */
    bool is_late;               /* the body is overdue; libmicrohttpd gets one more turn to read */
    bool needs_lingering_close; /* bytes of the body may still arrive when the connection ends */
};

/* The HTTP side of one loop. */
struct gjkd_http {
    struct gjkd_context *context;
    struct gjkd_counters *counters;
    uv_loop_t *uv;
    struct gjkd_completion_queue *completions;
    void (*request_run)(struct gjkd_http *http);                     /* calls MHD_run */
    void (*request_sweep)(struct gjkd_http *http, uint64_t wait_ms); /* sweeps within wait_ms */

    uint64_t swept_ns; /* when the connections were last swept */
    uint64_t round_ns; /* when the current MHD_run began, by uv_hrtime */
    struct MHD_Daemon *daemon;
    bool merges_folds; /* this libmicrohttpd (before 1.0) merges a folded line into the field */
    unsigned resumed;  /* number of connections resumed since the last MHD_run */
    bool is_arriving;  /* MHD_add_connection is running and has not reported its connection yet */
    struct gjkd_connections connections;
    uint64_t callbacks; /* number of callbacks so far, to tell if an MHD_run did anything */
    struct gjkd_exchanges awaiting_body; /* requests whose body is incomplete */
    struct gjkd_exchanges working;       /* requests at workers */
    struct gjkd_exchanges reading; /* requests whose answer is read from a version during sending */
    struct gjkd_exchange *spare;   /* exchanges for reuse, linked by `next` */
    unsigned spare_count;
    struct gjkd_lingering_closes lingering_closes;
    LIST_HEAD(, gjkd_stream) streams;    /* upgraded connections */
    struct gjkd_fair_queue stream_turns; /* streams with something to read or to send */
    struct gjkd_hub hub;                 /* watches of this loop */
    uint64_t served_ns; /* end of the last turn of watches; 0 if no event was left */
};

/* Runs the daemon if connections were resumed: in external epoll mode nothing else wakes it. */
static inline void gjkd_http_run_resumed(struct gjkd_http *http) {
    if (http->resumed > 0) {
        http->resumed = 0;
        http->request_run(http);
    }
}

static inline int gjkd_fd_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Returns the loop's entry for the connection. NULL if there was no memory for an entry; requests
 * of such a connection are refused. */
static inline struct gjkd_connection *gjkd_connection_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

#endif
