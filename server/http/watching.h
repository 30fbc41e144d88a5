#ifndef GJKD_HTTP_WATCHING_H
#define GJKD_HTTP_WATCHING_H

/* Watches that requests ask for, over HTTP and over streams alike. */

#include "http/state.h"

/* Opens the watch that the request's reply asks for, on the loop's thread, and lets go of the request's
 * version. NULL: the reply is a problem instead, or it is one to HEAD. */
struct gjkd_watch *gjkd_watching_begin(struct gjkd_http *http, struct gjkd_request *request,
                                       void (*ready)(void *owner), void *owner);

/* Closes it; NULL is allowed. */
void gjkd_watching_end(struct gjkd_http *http, struct gjkd_watch *watch);

#endif
