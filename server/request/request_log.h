#ifndef GJKD_REQUEST_REQUEST_LOG_H
#define GJKD_REQUEST_REQUEST_LOG_H

/* The access log: a line for a request that is over. Nothing of headers, parameters or bodies
 * is in it but the request's id, which is plain. */

#include "util/address.h"

struct gjkd_request;

/* status 0: the client was gone before an answer. */
void gjkd_request_log(const struct gjkd_request *request, const gjkd_address *peer,
                      uint64_t duration_ns);

#endif
