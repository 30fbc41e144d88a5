/*
 * The sockets share the port by SO_REUSEPORT. With that option alone a second daemon of the same
 * user could bind the port, too, and silently receive half of the connections. Therefore the first
 * socket binds without it, which fails if the port is taken, and joins the group afterwards.
 */

#include "http/listen.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Bytes of an answer that a socket takes beyond what it may send at once. By default Linux takes up
 * to 4 MiB for a reader that is slow or does not read at all: memory that nobody counts, and
 * answers that a loop prints for nobody.
 */
#define UNSENT_BYTES (128 << 10)

static bool set_option(int fd, int option) {
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) == 0;
}

/* For the connections, which inherit it. A wish: without it all works, too. */
static void limit_unsent(int fd) {
    int bytes = UNSENT_BYTES;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

static int open_one(gjkd_address *address, bool first) {
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    limit_unsent(fd);
    bool fine = set_option(fd, SO_REUSEADDR) && (first || set_option(fd, SO_REUSEPORT)) &&
                bind(fd, &address->any, address->length) == 0 &&
                (!first || set_option(fd, SO_REUSEPORT)) && listen(fd, SOMAXCONN) == 0;
    if (!fine) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

/* Replaces port 0 by the port that the kernel picked. */
static void learn_port(gjkd_address *address, int fd) {
    gjkd_address actual = {.length = sizeof actual.storage};
    if (getsockname(fd, &actual.any, &actual.length) == 0) {
        gjkd_address_set_port(address, gjkd_address_port(&actual));
    }
}

bool gjkd_listen_open(gjkd_address *address, int *sockets, unsigned count,
                      char error[GJKD_LISTEN_ERROR_MAX]) {
    for (unsigned i = 0; i < count; i++) {
        sockets[i] = open_one(address, i == 0);
        if (sockets[i] < 0) {
            char text[GJKD_ADDRESS_TEXT_MAX];
            gjkd_address_format(address, text);
            snprintf(error, GJKD_LISTEN_ERROR_MAX, "cannot listen on %s: %s%s", text,
                     strerror(errno),
                     errno == EADDRINUSE ? " (is another gjkd running? port 0 picks a free one)"
                                         : "");
            while (i > 0) {
                close(sockets[--i]);
            }
            return false;
        }
        if (i == 0) {
            learn_port(address, sockets[0]);
        }
    }
    return true;
}
