#ifndef GJKD_HTTP_STATE_H
#define GJKD_HTTP_STATE_H

/*
 * What the modules of this floor share: the HTTP side of one loop, and its exchanges. An exchange
 * is one request on a connection. Everything here is used on the thread of the loop that owns it.
 */

#include "http/connections.h"
#include "http/lingering_close.h"
#include "request/request.h"
#include "work/task_group.h"

#include <microhttpd.h>

/* How long a connection may be silent. */
#define GJKD_IDLE_TIMEOUT_S 60

/* The longest time between two sweeps. */
#define GJKD_SWEEP_MS 1000

enum gjkd_stage {
    GJKD_STAGE_HEAD,    /* the target is known */
    GJKD_STAGE_BODY,    /* the head is known */
    GJKD_STAGE_READY,   /* complete, to be run by a worker */
    GJKD_STAGE_WORKING, /* at a worker */
    GJKD_STAGE_DONE,    /* there is a reply */
    GJKD_STAGE_CUT_OFF, /* the reply was sent although the body is incomplete */
};

/* One request on a connection. */
struct gjkd_exchange {
    struct gjkd_task_group group; /* first: a group is cast to its exchange */
    struct gjkd_request request;
    struct gjkd_http *http;
    struct MHD_Connection *connection;     /* NULL: another exchange has replaced this one */
    struct gjkd_exchange *replacement;     /* takes this one's place at the next callback */
    struct gjkd_exchange *next, *previous; /* in the list that it is in */
    struct gjkd_exchange **list;           /* http->awaiting_body or http->working; NULL: neither */
    enum gjkd_stage stage;
    bool is_late;               /* the body is, and libmicrohttpd gets one more turn to read it */
    bool needs_lingering_close; /* bytes of the body may still come when the connection ends */
};

/* The HTTP side of one loop. */
struct gjkd_http {
    struct gjkd_context *context;
    struct gjkd_counters *counters;
    uv_loop_t *uv;
    struct gjkd_completion_queue *completions;
    void (*request_run)(struct gjkd_http *http); /* has MHD_run called for a resumed connection */
    void (*request_sweep)(struct gjkd_http *http, uint64_t wait_ms); /* within that time */

    uint64_t swept_ns; /* when the connections were last swept */
    uint64_t round_ns; /* when the current MHD_run began, by uv_hrtime */
    struct MHD_Daemon *daemon;
    bool merges_folds; /* libmicrohttpd appends a folded line to the field's name */
    bool is_arriving;  /* MHD_add_connection is under way, and its connection has not begun */
    struct gjkd_connections connections;
    uint64_t callbacks; /* number of libmicrohttpd's callbacks so far: whether a run did anything */
    struct gjkd_exchange *awaiting_body; /* requests whose body is incomplete */
    struct gjkd_exchange *working;       /* requests at workers */
    struct gjkd_exchange *spare;         /* for reuse */
    unsigned spare_count;
    struct gjkd_lingering_closes lingering_closes;
};

static inline int gjkd_fd_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* The loop's entry for the connection. NULL: there was no memory for one, and the connection's
 * requests are refused. */
static inline struct gjkd_connection *gjkd_connection_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

#endif
