/*
 * Calls accept4 until no connection is queued, but at most ACCEPTS_MAX times, so that the loop's
 * other handles get their turn. Without descriptors, level-triggered polling would report the same
 * connection forever. The remedy is a reserve descriptor (libev's manual, "the special problem of
 * accept()ing when you can't"): it is closed, one client is accepted and closed, and the descriptor
 * is reopened. The other clients stay in the kernel's queue until descriptors are free.
 */

#define _GNU_SOURCE /* accept4 */
#include "http/acceptor.h"

#include "http/http.h"
#include "util/log.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Most connections accepted before the loop's other handles get a turn. */
#define ACCEPTS_MAX 64

/* Most connections accepted before the socket is closed: the default limit of Linux's queue. */
#define LAST_ACCEPTS_MAX 4096

/* The shortest time between two warnings. */
#define WARNING_PAUSE_NS UINT64_C(10000000000)

typedef enum accept_status {
    ACCEPTED,
    LOST, /* this connection failed; the next one may succeed */
    EMPTY,
    STARVED,
} accept_status;

static accept_status status_of(int error) {
    switch (error) {
    case EAGAIN:
        return EMPTY;
    case EINTR:
    case ECONNABORTED:
    case EPERM: /* a firewall forbids it */
    case EPROTO:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
        return LOST; /* accept(2): network errors of the connection, to be treated like EAGAIN */
    default:
        return STARVED; /* EMFILE, ENFILE, ENOBUFS, ENOMEM; unknown errors must not spin either */
    }
}

static int accept_fd(int listen_fd, gjkd_address *peer) {
    peer->length = sizeof peer->storage;
    return accept4(listen_fd, &peer->any, &peer->length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* --- Without descriptors --- */

static void reopen_reserve(struct gjkd_acceptor *acceptor) {
    if (acceptor->reserve_fd < 0) {
        acceptor->reserve_fd = eventfd(0, EFD_CLOEXEC);
    }
}

/* Accepts one connection by means of the reserve descriptor, and closes it. */
static void refuse_one(struct gjkd_acceptor *acceptor) {
    gjkd_address peer;
    if (acceptor->reserve_fd < 0) {
        return;
    }
    close(acceptor->reserve_fd);
    acceptor->reserve_fd = -1;
    int fd = accept_fd(acceptor->listen_fd, &peer);
    if (fd >= 0) {
        gjkd_http_refuse_connection(acceptor->http, fd);
    }
    reopen_reserve(acceptor);
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *pause) {
    struct gjkd_acceptor *acceptor = pause->data;
    reopen_reserve(acceptor);
    uv_poll_start(&acceptor->poll, UV_READABLE, on_readable);
}

/* --- Opening and closing --- */

/* Accepts at most `most` connections. Returns the status of the last attempt. */
static accept_status accept_queued(struct gjkd_acceptor *acceptor, int most) {
    accept_status status = ACCEPTED;
    for (int i = 0; i < most && (status == ACCEPTED || status == LOST); i++) {
        gjkd_address peer;
        const int fd = accept_fd(acceptor->listen_fd, &peer);
        status = fd >= 0 ? ACCEPTED : status_of(errno);
        if (fd >= 0) {
            gjkd_http_take_connection(acceptor->http, fd, &peer);
        }
    }
    return status;
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct gjkd_acceptor *acceptor = poll->data;
    (void)status, (void)events;
    if (accept_queued(acceptor, ACCEPTS_MAX) == STARVED) {
        uint64_t now_ns = uv_hrtime();
        if (acceptor->warned_ns == 0 || now_ns - acceptor->warned_ns > WARNING_PAUSE_NS) {
            acceptor->warned_ns = now_ns;
            gjkd_log(GJKD_LOG_WARNING, "cannot accept a connection: %s; trying again every %d ms",
                     strerror(errno), GJKD_ACCEPT_PAUSE_MS);
        }
        refuse_one(acceptor);
        uv_poll_stop(&acceptor->poll);
        uv_timer_start(&acceptor->pause, on_pause_over, GJKD_ACCEPT_PAUSE_MS, 0);
    }
    acceptor->http->request_run(acceptor->http);
}

bool gjkd_acceptor_init(struct gjkd_acceptor *acceptor, struct gjkd_http *http, int listen_fd) {
    acceptor->http = http;
    acceptor->listen_fd = listen_fd;
    acceptor->reserve_fd = -1;
    acceptor->warned_ns = 0;
    acceptor->poll.data = acceptor->pause.data = acceptor;
    reopen_reserve(acceptor);
    if (acceptor->reserve_fd < 0 || uv_poll_init(http->uv, &acceptor->poll, listen_fd) != 0) {
        if (acceptor->reserve_fd >= 0) {
            close(acceptor->reserve_fd);
        }
        close(listen_fd);
        return false;
    }
    uv_timer_init(http->uv, &acceptor->pause);
    uv_poll_start(&acceptor->poll, UV_READABLE, on_readable);
    return true;
}

void gjkd_acceptor_close(struct gjkd_acceptor *acceptor) {
    (void)accept_queued(acceptor, LAST_ACCEPTS_MAX);
    uv_close((uv_handle_t *)&acceptor->poll, NULL);
    uv_close((uv_handle_t *)&acceptor->pause, NULL);
    close(acceptor->listen_fd);
    if (acceptor->reserve_fd >= 0) {
        close(acceptor->reserve_fd);
    }
}

/*
 * The sockets share the port by SO_REUSEPORT. With that option alone a second daemon of the same
 * user could bind the port too and silently receive half of the connections. Therefore the first
 * socket binds without the option, which fails if the port is taken, and sets the option
 * afterwards.
 */

/*
 * Unsent bytes that a socket buffers. By default Linux buffers up to 4 MiB for a client that reads
 * slowly or not at all: memory that is charged to nobody, and work for answers that are never read.
 */
#define UNSENT_BYTES (128 << 10)

static bool set_option(int fd, int option) {
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) == 0;
}

static int open_one(gjkd_address *address, bool first) {
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    /* Connections inherit this limit. It is optional. */
    int bytes = UNSENT_BYTES;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
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
            /* Replaces port 0 by the port that the kernel picked. */
            gjkd_address actual = {.length = sizeof actual.storage};
            if (getsockname(sockets[0], &actual.any, &actual.length) == 0) {
                gjkd_address_set_port(address, gjkd_address_port(&actual));
            }
        }
    }
    return true;
}
