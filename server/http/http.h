#ifndef GJKD_HTTP_HTTP_H
#define GJKD_HTTP_HTTP_H

/*
 * HTTP for one loop: turns libmicrohttpd's callbacks into requests and their replies into
 * responses. Everything runs on the loop's thread.
 */

#include "http/state.h"
#include "util/network.h"

/* Longest time that a request may wait for its loop. Later it is refused, so that an overloaded
 * loop catches up instead of answering every request late. */
#define GJKD_LAG_MAX_MS 200

/* Starts a libmicrohttpd daemon in external epoll mode that does not listen. The caller has set the
 * first six members. Returns false if the daemon cannot be started. */
bool gjkd_http_start(struct gjkd_http *http);

/* Takes an accepted, non-blocking connection, or refuses it if a limit is reached. Call MHD_run
 * afterwards. */
void gjkd_http_take_connection(struct gjkd_http *http, int fd, const gjkd_address *peer);

/* Closes a connection because there is no room for it, and counts it as refused. */
void gjkd_http_refuse_connection(struct gjkd_http *http, int fd);

/*
 * Answers requests that are past their deadline, and sweeps connections and streams. Returns the
 * time until the next call, in ms.
 */
uint64_t gjkd_http_sweep(struct gjkd_http *http);

/* Ends connections whose last token is no longer valid, idle ones at once, others after their
 * answer, and soon the watches that their token no longer allows. Called when the tokens were read
 * again. */
void gjkd_http_end_revoked(struct gjkd_http *http);

/* Ends all event streams, because the daemon drains. */
void gjkd_http_end_event_streams(struct gjkd_http *http);

/* Ends connections without a request now, and each other connection after its answer. */
void gjkd_http_close(struct gjkd_http *http);

/* Returns true if there is a TLS connection on which no request has begun. */
bool gjkd_http_has_handshakes(const struct gjkd_http *http);

/* Returns true if a connection is open, or lingers. */
bool gjkd_http_has_clients(const struct gjkd_http *http);

/* Returns true if there are clients, requests at workers (even if they were answered 504), or work
 * of the hub of watches. */
bool gjkd_http_is_busy(const struct gjkd_http *http);

/* Stops the daemon and frees everything. Nothing may be busy. */
void gjkd_http_stop(struct gjkd_http *http);

#endif
