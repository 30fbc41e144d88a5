#ifndef GJKD_UTIL_REQUEST_ID_H
#define GJKD_UTIL_REQUEST_ID_H

/*
 * Request ids (X-Request-Id), which identify a request to the client, proxies and logs. A client's
 * id is used if it is short and plain, so that it can be copied to a header and a log unescaped;
 * otherwise one is generated.
 */

#include <stdbool.h>

/* An id is 1 to so many of [A-Za-z0-9._~:@/+=-]: UUIDs and trace contexts fit. */
#define GJKD_REQUEST_ID_BYTES_MAX 128
/* Size of a generated id with its NUL. */
#define GJKD_REQUEST_ID_FRESH_MAX 17

bool gjkd_is_request_id(const char *text);

/* Generates an id. Two threads of any daemons share ids with a probability of about 2^-64. */
void gjkd_request_id_make(char id[GJKD_REQUEST_ID_FRESH_MAX]);

#endif
