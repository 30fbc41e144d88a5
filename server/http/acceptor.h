#ifndef GJKD_HTTP_ACCEPTOR_H
#define GJKD_HTTP_ACCEPTOR_H

/*
 * Accepts the connections of one loop. While the process or the system has no file descriptor left,
 * the listening socket is not polled for GJKD_ACCEPT_PAUSE_MS at a time, so that a loop that cannot
 * accept does not spin. Everything runs on the loop's thread.
 */

#include "util/network.h"

#include <stdbool.h>
#include <uv.h>

struct gjkd_http;

#define GJKD_ACCEPT_PAUSE_MS 100

struct gjkd_acceptor {
    struct gjkd_http *http; /* takes the connections */
    uv_poll_t poll;
    uv_timer_t pause;
    int listen_fd;
    int reserve_fd;     /* spare descriptor, see acceptor.c; -1 if it could not be reopened */
    uint64_t warned_ns; /* when a lack of descriptors was last logged */
};

/* Starts polling the socket; the acceptor takes ownership of it. Returns false if no descriptor is
 * left; the socket is closed. */
bool gjkd_acceptor_init(struct gjkd_acceptor *acceptor, struct gjkd_http *http, int listen_fd);

/* Accepts all connections that the kernel has queued, then closes the socket: closing it at once
 * would reset them. Call it once. */
void gjkd_acceptor_close(struct gjkd_acceptor *acceptor);

/* Listening sockets: one for each loop, all on the same address. */

#define GJKD_LISTEN_ERROR_MAX 192

/*
 * Opens `count` listening, non-blocking sockets on *address; the kernel spreads new connections
 * among them. Port 0 in *address is replaced by the port that the kernel picked. Returns false if
 * the address cannot be bound; no socket is open, and `error` says why.
 */
bool gjkd_listen_open(gjkd_address *address, int *sockets, unsigned count,
                      char error[GJKD_LISTEN_ERROR_MAX]);

#endif
