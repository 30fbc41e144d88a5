#ifndef GJKD_HTTP_HTTP_H
#define GJKD_HTTP_HTTP_H

/*
 * Between libmicrohttpd and jobs, for one loop: a connection's requests become jobs, jobs'
 * replies go out. All of it runs on the loop's thread.
 */

#include "http/connections.h"
#include "http/linger.h"
#include "request/request.h"

struct MHD_Daemon;
struct gjkd_exchange;

/* How long a connection may be silent. */
#define GJKD_IDLE_TIMEOUT_S 60

/* Requests that waited longer for their loop are refused, so that those before them are not late
 * too. */
#define GJKD_LAG_MAX_MS 200

struct gjkd_http {
    struct gjkd_context *context;
    struct gjkd_counters *counters;
    uv_loop_t *uv;
    struct gjkd_completion_queue *returns;
    void (*resumed)(struct gjkd_http *http);                 /* a connection waits for MHD_run */
    void (*hurry)(struct gjkd_http *http, uint64_t wait_ms); /* sweep again by then */

    uint64_t swept_ns; /* when the connections were looked at */
    uint64_t round_ns; /* when the daemon's run began that is under way, by uv_hrtime */
    struct MHD_Daemon *daemon;
    struct gjkd_connections connections;
    uint64_t callbacks;            /* of the daemon so far: does it get on? */
    struct gjkd_exchange *due;     /* requests whose body is not there */
    struct gjkd_exchange *working; /* requests at workers */
    struct gjkd_exchange *spare;
    unsigned spare_count;
    struct gjkd_lingers lingers;
};

/* Starts a daemon in external epoll mode on the socket, which it owns then. The first six
 * members are set. False: it cannot be started, and the socket is closed. */
bool gjkd_http_start(struct gjkd_http *http, int listen_fd);

/*
 * To be called now and then: answers what is past its deadline, and sweeps the connections.
 * Returns in how many milliseconds it wants to be called again, at the latest.
 */
uint64_t gjkd_http_sweep(struct gjkd_http *http);

/* Ends connections without a request, and from now on every other after its answer. */
void gjkd_http_close(struct gjkd_http *http);

/* Is there a connection on which no request has begun, under TLS? */
bool gjkd_http_shakes_hands(const struct gjkd_http *http);

/* Does any client still wait for something? */
bool gjkd_http_owes(const struct gjkd_http *http);

/* Or is a worker still at it, if only for a client that has been told to give up? */
bool gjkd_http_is_busy(const struct gjkd_http *http);

/* When nothing is: stops the daemon and frees everything. */
void gjkd_http_stop(struct gjkd_http *http);

#endif
