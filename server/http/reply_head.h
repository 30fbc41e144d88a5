#ifndef GJKD_HTTP_REPLY_HEAD_H
#define GJKD_HTTP_REPLY_HEAD_H

/* A reply's head as it goes over the wire, for where libmicrohttpd does not write it. */

#include <stddef.h>

struct MHD_Response;

/* Status line and fields: more than all that gjkd sends, the longest --cors-origin included. */
#define GJKD_REPLY_HEAD_MAX 4096

/*
 * Writes the status line, Date, the response's fields, Content-Length and the empty line into text,
 * with a NUL behind them. Their length, or 0 when they do not fit.
 */
size_t gjkd_reply_head(char text[GJKD_REPLY_HEAD_MAX], unsigned status,
                       struct MHD_Response *response, size_t body_bytes);

#endif
