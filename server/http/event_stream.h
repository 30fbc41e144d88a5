#ifndef GJKD_HTTP_EVENT_STREAM_H
#define GJKD_HTTP_EVENT_STREAM_H

/*
 * Event streams: answers whose body is the events of a watch. While there is no event the
 * connection is suspended, so that it costs the loop no time.
 */

#include "http/state.h"

/* Sets up the hub of the loop's watches. */
void gjkd_event_streams_init(struct gjkd_http *http);

/* Sends pending events for a limited time. Called once in every round of the loop. */
void gjkd_event_streams_serve(struct gjkd_http *http);

/* Opens the watch that the reply describes. If that fails, the reply is a problem instead. */
void gjkd_event_stream_begin(struct gjkd_exchange *exchange);

/* Ends the body after the event that is being sent. */
void gjkd_event_stream_end(struct gjkd_exchange *exchange);

/* Closes the watch when the answer or its connection has ended. Does nothing without a watch. */
void gjkd_event_stream_close(struct gjkd_exchange *exchange);

/* Opening and closing of watches, for HTTP and for streams. */

/* Opens the watch that the request's reply describes and releases the request's version. Call it on
 * the loop's thread. Returns NULL for HEAD, or if the reply has become a problem. */
struct gjkd_watch *gjkd_watching_begin(struct gjkd_http *http, struct gjkd_request *request,
                                       void (*ready)(void *owner), void *owner);

/* Closes the watch, which may be NULL. */
void gjkd_watching_end(struct gjkd_http *http, struct gjkd_watch *watch);

#endif
