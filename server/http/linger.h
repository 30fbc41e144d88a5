#ifndef GJKD_HTTP_LINGER_H
#define GJKD_HTTP_LINGER_H

/*
 * Closing a socket with unread bytes in it resets the connection, and the reset may destroy
 * an answer that the client has not read yet. Connections that were refused in the middle
 * of their body are therefore read on for a moment, and thrown away, before they end.
 */

#include <uv.h>

/* How long, and how many of a loop at once. */
#define GJKD_LINGER_MS 1000
#define GJKD_LINGERS_MAX 256

struct gjkd_lingers {
    uv_loop_t *uv;
    unsigned count;
};

/* Takes over fd, whose sending side is shut or will be, and closes it in the end. */
void gjkd_linger(struct gjkd_lingers *lingers, int fd);

#endif
