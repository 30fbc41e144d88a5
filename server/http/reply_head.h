#ifndef GJKD_HTTP_REPLY_HEAD_H
#define GJKD_HTTP_REPLY_HEAD_H

/* A reply's head as bytes, for replies that are sent past libmicrohttpd. */

#include <stddef.h>

struct MHD_Response;

/* More than the status line and all fields that gjkd sends, with the longest --cors-origin. */
#define GJKD_REPLY_HEAD_MAX 4096

/*
 * Writes the status line, Date, the response's fields, Content-Length and the empty line into text,
 * NUL-terminated. Returns their length, or 0 if they do not fit.
 */
size_t gjkd_reply_head(char text[GJKD_REPLY_HEAD_MAX], unsigned status,
                       struct MHD_Response *response, size_t body_bytes);

#endif
