#ifndef GJKD_UTIL_REQUEST_ID_H
#define GJKD_UTIL_REQUEST_ID_H

/*
 * The name by which client, proxies and logs speak of one request (X-Request-Id). A
 * client's own is taken when it is short and plain, so that it can stand in a header and in
 * a log as it is; else the request gets a fresh one.
 */

#include <stdbool.h>

/* 1 to so many of [A-Za-z0-9._~:@/+=-]: UUIDs and trace contexts fit. */
#define GJKD_REQUEST_ID_BYTES_MAX 128
/* What a fresh one needs, NUL included. */
#define GJKD_REQUEST_ID_FRESH_MAX 17

bool gjkd_is_request_id(const char *text);

/* Unique among all threads and daemons, but for odds of 2^-64 a pair of them. */
void gjkd_request_id_make(char id[GJKD_REQUEST_ID_FRESH_MAX]);

#endif
