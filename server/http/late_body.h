#ifndef GJKD_HTTP_LATE_BODY_H
#define GJKD_HTTP_LATE_BODY_H

/*
 * Requests whose body is not complete by their deadline are answered 504. libmicrohttpd accepts no
 * reply before it has the body; therefore the answer is written directly to the socket, and what
 * still comes of the body is discarded.
 */

#include "http/state.h"

/* A window of the body's rate begins. */
void gjkd_late_body_begin(struct gjkd_exchange *exchange);

/* Has less of a large body come in a window than --min-body-rate asks for? Then the request is
 * refused. */
bool gjkd_late_body_is_slow(struct gjkd_exchange *exchange, uint64_t now_ns);

/* The head is complete and a body follows, which is due by the request's deadline. */
void gjkd_late_body_await(struct gjkd_exchange *exchange);

/* The body is complete, or never will be. Does nothing unless it is awaited. */
void gjkd_late_body_forget(struct gjkd_exchange *exchange);

/* Answers the requests whose body is overdue. Returns in how many milliseconds, at the latest, it
 * is to be called again. */
uint64_t gjkd_late_bodies_sweep(struct gjkd_http *http);

#endif
