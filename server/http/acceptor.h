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
    int reserve_fd; /* closed to accept, and close, one connection; -1: it could not be reopened */
    uint64_t warned_ns; /* when a lack of descriptors was last logged */
};

/* Starts polling the socket, which the acceptor owns then. False: no descriptor is left, and the
 * socket is closed. */
bool gjkd_acceptor_init(struct gjkd_acceptor *acceptor, struct gjkd_http *http, int listen_fd);

/* Takes every connection that the kernel has queued, and closes the socket: closing it alone would
 * reset those connections. To be called once. */
void gjkd_acceptor_close(struct gjkd_acceptor *acceptor);

/* The listening sockets: one for each loop, all on the same address. */

#define GJKD_LISTEN_ERROR_MAX 192

/*
 * Opens count listening, non-blocking sockets on *address, among which the kernel spreads
 * new connections. Port 0 is replaced by the port that was picked. False: the address
 * cannot be bound, nothing is open, and error says why.
 */
bool gjkd_listen_open(gjkd_address *address, int *sockets, unsigned count,
                      char error[GJKD_LISTEN_ERROR_MAX]);

#endif
