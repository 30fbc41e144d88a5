#ifndef GJKD_HTTP_RESPONSE_H
#define GJKD_HTTP_RESPONSE_H

/* From a request's reply to a response of libmicrohttpd, or to the bytes of one. */

#include "request/request.h"

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

/* The whole response as it goes over the wire, in the request's arena. NULL: out of memory, or the
 * head is too long. */
const char *gjkd_response_write(struct gjkd_request *request, size_t *length);

#endif
