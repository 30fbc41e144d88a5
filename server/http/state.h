#ifndef GJKD_HTTP_STATE_H
#define GJKD_HTTP_STATE_H

/*
 * Shared by the modules of this floor: the HTTP side of one loop, and its exchanges. An exchange
 * is one request on a connection. Everything here is used on the thread of the loop that owns it.
 */

#include "http/connections.h"
#include "request/request.h"
#include "watch/watch.h"
#include "work/chunks.h"
#include "work/fair_queue.h"

#include <microhttpd.h>

/* How long a connection may be silent. */
#define GJKD_IDLE_TIMEOUT_S 60

/* The longest time between two sweeps. */
#define GJKD_SWEEP_MS 1000

/* A round of a loop that has lasted so long leaves what remains to workers. */
#define GJKD_ROUND_MAX_NS UINT64_C(4000000)

enum gjkd_stage {
    GJKD_STAGE_HEAD,    /* the target is known */
    GJKD_STAGE_BODY,    /* the head is known */
    GJKD_STAGE_READY,   /* complete, to be run by a worker */
    GJKD_STAGE_WORKING, /* at a worker */
    GJKD_STAGE_DONE,    /* there is a reply */
    GJKD_STAGE_CUT_OFF, /* the reply was sent although the body is incomplete */
};

/* A request that came over a stream, as far as its exchange has to know. */
struct gjkd_call {
    /* The reply of `answer` is ready: that of the exchange itself or, when its time is up, of
     * another that takes its place. */
    void (*answered)(struct gjkd_exchange *exchange, struct gjkd_exchange *answer);
    /* The reply of `answer` keeps too much while the peer does not read: the stream is to end. */
    void (*unread)(struct gjkd_exchange *answer);
};

/* One request on a connection, or a call of a stream. */
struct gjkd_exchange {
    struct gjkd_task_group group; /* first: a group is cast to its exchange */
    struct gjkd_request request;
    struct gjkd_http *http;
    struct MHD_Connection *connection;     /* NULL: another exchange has replaced this one */
    struct gjkd_exchange *replacement;     /* takes this one's place at the next callback */
    struct gjkd_exchange *next, *previous; /* in the list that it is in */
    struct gjkd_exchange **list;           /* http->awaiting_body or http->working; NULL: neither */
    struct gjkd_exchange *reading_next, **reading_link; /* among http->reading; NULL: not there */
    uint64_t window_ns, window_bytes; /* when the current window of the body's rate, or of the
                                              client's reading, began, and at which byte */
    struct gjkd_account account;      /* for the exchange itself: a request that expires may leave
                                         its account to its arena */
    enum gjkd_stage stage;
    struct gjkd_call *call;   /* it is a call of a stream, without a connection; NULL: it is not */
    struct gjkd_watch *watch; /* whose events are the answer's body; NULL: none */
    bool is_out_of_events;    /* the connection is suspended until there are some */
    bool is_late;             /* the body is, and libmicrohttpd gets one more turn to read it */
    bool needs_lingering_close; /* bytes of the body may still come when the connection ends */
};

/* The HTTP side of one loop. */
struct gjkd_http {
    struct gjkd_context *context;
    struct gjkd_counters *counters;
    uv_loop_t *uv;
    struct gjkd_completion_queue *completions;
    void (*request_run)(struct gjkd_http *http);                     /* has MHD_run called */
    void (*request_sweep)(struct gjkd_http *http, uint64_t wait_ms); /* within that time */

    uint64_t swept_ns; /* when the connections were last swept */
    uint64_t round_ns; /* when the current MHD_run began, by uv_hrtime */
    struct MHD_Daemon *daemon;
    bool merges_folds; /* libmicrohttpd appends a folded line to the field's name */
    unsigned resumed;  /* connections, of which libmicrohttpd will learn when it runs */
    bool is_arriving;  /* MHD_add_connection is under way, and its connection has not begun */
    struct gjkd_connections connections;
    uint64_t callbacks; /* number of libmicrohttpd's callbacks so far: whether a run did anything */
    struct gjkd_exchange *awaiting_body; /* requests whose body is incomplete */
    struct gjkd_exchange *working;       /* requests at workers */
    struct gjkd_exchange *reading;       /* whose answer is read from a version while it is sent */
    struct gjkd_exchange *spare;         /* for reuse */
    unsigned spare_count;
    struct gjkd_lingering_closes lingering_closes;
    struct gjkd_stream *streams;         /* upgraded connections */
    struct gjkd_fair_queue stream_turns; /* those that have something to read or to send */
    struct gjkd_hub hub;                 /* of the connections that watch sets */
    uint64_t served_ns; /* when their turn last ended; 0: there was nothing left for them */
};

/* Runs the daemon after connections were resumed: nothing else wakes one that is polled from
 * outside. */
static inline void gjkd_http_run_resumed(struct gjkd_http *http) {
    if (http->resumed > 0) {
        http->resumed = 0;
        http->request_run(http);
    }
}

static inline int gjkd_fd_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* The loop's entry for the connection. NULL: there was no memory for one, and the connection's
 * requests are refused. */
static inline struct gjkd_connection *gjkd_connection_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

#endif
