#ifndef GJKD_HTTP_LINGERING_CLOSE_H
#define GJKD_HTTP_LINGERING_CLOSE_H

/*
 * Lingering close: closing a socket with unread bytes resets the connection, and the reset may
 * destroy an answer that the client has not read yet. Connections that were refused in the middle
 * of their body are therefore read and discarded for a moment before they are closed.
 */

#include <uv.h>

/* How long a connection lingers, and how many of a loop at once; others are closed at once. */
#define GJKD_LINGER_MS 1000
#define GJKD_LINGERING_CLOSES_MAX 256

struct gjkd_lingering_closes {
    uv_loop_t *uv;
    unsigned count;
};

/* Keeps the connection open by a duplicate of fd, which libmicrohttpd is about to shut and close,
 * and closes that in the end. */
void gjkd_lingering_close_start(struct gjkd_lingering_closes *all, int fd);

#endif
