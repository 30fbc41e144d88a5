#ifndef GJKD_HTTP_RESPONSE_H
#define GJKD_HTTP_RESPONSE_H

/* Makes a response of libmicrohttpd, or its bytes, of a request's reply. */

#include "http/state.h"
#include "request/request.h"

#include <stddef.h>

struct MHD_Response;

/*
 * The request's reply with all its header fields. The body is not copied: the request must outlive
 * the response, which the caller destroys. NULL: out of memory.
 */
struct MHD_Response *gjkd_response_make(struct gjkd_request *request);

/* Adds the header fields of the request's reply. Part of make. */
void gjkd_response_add_fields(const struct gjkd_request *request, struct MHD_Response *response);

/* Returns the value of Gjkd-Durability: the faults that a write has outlived. NULL: nothing was
 * written. */
const char *gjkd_response_durability(const struct gjkd_request *request);

#define GJKD_AGE_TEXT_MAX 24

/* Returns the value of Gjkd-Age-Ms, in text: what is answered has all that was acknowledged so many
 * milliseconds ago. NULL: not in a cluster. */
const char *gjkd_response_age(const struct gjkd_request *request, char text[GJKD_AGE_TEXT_MAX]);

/* A reply's head as bytes, for replies that are sent past libmicrohttpd. */

struct MHD_Response;

/* More than the status line and all fields that gjkd sends, with the longest --cors-origin. */
#define GJKD_REPLY_HEAD_MAX 4096

/*
 * Writes the status line, Date, the response's fields, Content-Length and the empty line into text,
 * NUL-terminated. Returns their length, or 0 if they do not fit.
 */
size_t gjkd_reply_head(char text[GJKD_REPLY_HEAD_MAX], unsigned status,
                       struct MHD_Response *response, size_t body_bytes);

/*
 * Refusals that libmicrohttpd cannot send: it waits for something else, or has no memory left for
 * their head. The connection closes behind them.
 */

/*
 * Sends the request's reply, whose body stands in reply.data, in one piece past libmicrohttpd,
 * which must have nothing to send at that time. False: the socket did not take all of it at once,
 * or there is no memory; the client may have seen a part.
 */
bool gjkd_direct_reply_send(struct gjkd_exchange *exchange);

#endif
