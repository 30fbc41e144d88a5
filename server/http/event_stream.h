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

#endif
