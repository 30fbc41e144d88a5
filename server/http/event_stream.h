#ifndef GJKD_HTTP_EVENT_STREAM_H
#define GJKD_HTTP_EVENT_STREAM_H

/*
 * Event streams: an answer whose body is what a watch has to tell. While there is nothing to tell
 * the connection is suspended, so that it costs a loop no time.
 */

#include "http/state.h"

/* Sets up the hub of the loop's watches. */
void gjkd_event_streams_init(struct gjkd_http *http);

/* Sends some of the news there are. To be called once in every round of the loop. */
void gjkd_event_streams_serve(struct gjkd_http *http);

/* Opens the watch that the reply asks for; where there is no memory for it the reply is a problem
 * instead. */
void gjkd_event_stream_begin(struct gjkd_exchange *exchange);

/* The body ends with what the client is reading now. */
void gjkd_event_stream_end(struct gjkd_exchange *exchange);

/* The connection is gone, or its answer has ended. Does nothing where there is no watch. */
void gjkd_event_stream_close(struct gjkd_exchange *exchange);

/* Watches that requests ask for, over HTTP and over streams alike. */

/* Opens the watch that the request's reply asks for, on the loop's thread, and lets go of the
 * request's version. NULL: the reply is a problem instead, or it is one to HEAD. */
struct gjkd_watch *gjkd_watching_begin(struct gjkd_http *http, struct gjkd_request *request,
                                       void (*ready)(void *owner), void *owner);

/* Closes it; NULL is allowed. */
void gjkd_watching_end(struct gjkd_http *http, struct gjkd_watch *watch);

#endif
