#ifndef GJKD_HTTP_HTTP_H
#define GJKD_HTTP_HTTP_H

/*
 * HTTP for one loop: turns libmicrohttpd's callbacks into requests and their replies into
 * responses. Everything runs on the loop's thread.
 */

#include "http/state.h"
#include "util/network.h"

/* A request that has waited longer for its loop is refused, so that an overloaded loop catches up
 * instead of answering every request late. */
#define GJKD_LAG_MAX_MS 200

/* Starts a daemon in external epoll mode that does not listen. The first six members are set.
 * False: it cannot be started. */
bool gjkd_http_start(struct gjkd_http *http);

/* Takes an accepted, non-blocking connection, or refuses it where a limit is reached. MHD_run is to
 * be called afterwards. */
void gjkd_http_take_connection(struct gjkd_http *http, int fd, const gjkd_address *peer);

/* Closes a connection that there is no room for, and counts that. */
void gjkd_http_refuse_connection(struct gjkd_http *http, int fd);

/*
 * Answers requests that are past their deadline, and sweeps the connections. Returns in how many
 * milliseconds, at the latest, it is to be called again.
 */
uint64_t gjkd_http_sweep(struct gjkd_http *http);

/* The tokens were read again: ends connections whose last token is in force no more, idle ones
 * at once, the others after their answer, and soon watches whose token does not allow them any
 * more. */
void gjkd_http_end_revoked(struct gjkd_http *http);

/* The daemon drains: ends event streams; new ones are refused. */
void gjkd_http_end_event_streams(struct gjkd_http *http);

/* Ends connections without a request, and from now on every other one after its answer. */
void gjkd_http_close(struct gjkd_http *http);

/* Returns true if there is a TLS connection on which no request has begun. */
bool gjkd_http_has_handshakes(const struct gjkd_http *http);

/* Returns true if a client still waits for something. */
bool gjkd_http_has_clients(const struct gjkd_http *http);

/* The same, or whether a worker is still busy with a request that was answered 504. */
bool gjkd_http_is_busy(const struct gjkd_http *http);

/* Stops the daemon and frees everything; nothing is busy any more. */
void gjkd_http_stop(struct gjkd_http *http);

#endif
