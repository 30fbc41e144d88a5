#ifndef GJKD_HTTP_RESPONSE_H
#define GJKD_HTTP_RESPONSE_H

/* Turns the reply of a request into a libmicrohttpd response, or into the bytes of one. */

#include "http/state.h"
#include "request/request.h"

#include <stddef.h>

struct MHD_Response;

/*
 * Returns a response with the body of the request's reply and all header fields. The body is not
 * copied: the request must outlive the response, which the caller destroys. Returns NULL if memory
 * is exhausted.
 */
struct MHD_Response *gjkd_response_make(struct gjkd_request *request);

/* Adds the header fields of the request's reply. Part of make. */
void gjkd_response_add_fields(const struct gjkd_request *request, struct MHD_Response *response);

/* Memory for the values of fields that are numbers. */
typedef struct gjkd_field_numbers {
    char age[24], retry_after[24];
} gjkd_field_numbers;

/* Calls add for each header field that answers over HTTP and on streams have. Values may be NULL or
 * "": then the field is left out. They live as long as the request and `numbers`. */
void gjkd_response_each_field(const struct gjkd_request *request, gjkd_field_numbers *numbers,
                              gjkd_add_field add, void *to);

/* The head of a reply as bytes, for replies that are sent past libmicrohttpd. */

struct MHD_Response;

/* Size of a head, with room for all fields that gjkd sends and the longest --cors-origin. */
#define GJKD_REPLY_HEAD_MAX 4096

/*
 * Writes the status line, Date, the response's fields, Content-Length and the empty line into
 * `text`, NUL-terminated. Returns the length, or 0 if the head does not fit.
 */
size_t gjkd_reply_head(char text[GJKD_REPLY_HEAD_MAX], unsigned status,
                       struct MHD_Response *response, size_t body_bytes);

/*
 * Refusals that libmicrohttpd cannot send, because it waits for the rest of the request or has no
 * memory for the head. The connection closes after such a refusal.
 */

/*
 * Sends the request's reply, whose body is reply.data, directly to the socket. libmicrohttpd must
 * have nothing to send at that time. Returns false if memory is exhausted or the socket did not
 * take all bytes at once; the client may have received a part.
 */
bool gjkd_direct_reply_send(struct gjkd_exchange *exchange);

#endif
