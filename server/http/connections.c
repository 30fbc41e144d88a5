/*
 * libmicrohttpd has no call that ends a connection, but ends one when it reads end of file. Since
 * it uses edge-triggered epoll, it misses an end of file that arrives with the last bytes;
 * therefore the sweep looks for disconnected clients.
 */

#include "http/connections.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct gjkd_connection *gjkd_connections_add(struct gjkd_connections *connections, int fd) {
    struct gjkd_connection *entry = calloc(1, sizeof *entry);
    connections->count++;
    if (entry == NULL) {
        return NULL;
    }
    entry->fd = fd;
    entry->fresh = true;
    connections->fresh++;
    LIST_INSERT_HEAD(&connections->list, entry, link);
    return entry;
}

void gjkd_connections_remove(struct gjkd_connections *connections, struct gjkd_connection *entry) {
    connections->count--;
    if (entry == NULL) {
        return;
    }
    LIST_REMOVE(entry, link);
    connections->fresh -= entry->fresh ? 1 : 0;
    free(entry);
}

void gjkd_connections_set_progress(struct gjkd_connections *connections,
                                   struct gjkd_connection *entry, gjkd_progress progress) {
    if (entry == NULL) {
        return;
    }
    if (entry->fresh && progress != GJKD_IDLE) {
        entry->fresh = false;
        connections->fresh--;
    }
    entry->progress = progress;
    if (progress == GJKD_IDLE && (connections->closing || entry->revoked)) {
        shutdown(entry->fd, SHUT_RD);
    }
}

void gjkd_connection_expect_reading(struct gjkd_connection *entry, uint64_t bytes,
                                    uint64_t now_ns) {
    entry->reply_bytes = 0;
    if (bytes > GJKD_LONG_REPLY_BYTES &&
        gjkd_socket_acknowledged(entry->fd, &entry->acknowledged_bytes)) {
        entry->reply_bytes = bytes;
        entry->window_ns = now_ns;
        entry->window_bytes = entry->acknowledged_bytes;
    }
}

/* Ends the window of reading, if it is over. Returns true if the client has read too little of a
 * long answer in it. */
static bool end_slow_window(struct gjkd_connection *entry, uint64_t now_ns) {
    uint64_t bytes;
    if (entry->reply_bytes == 0 ||
        now_ns - entry->window_ns < GJKD_READ_WINDOW_S * UINT64_C(1000000000) ||
        !gjkd_socket_acknowledged(entry->fd, &bytes)) {
        return false;
    }
    bool is_slow = bytes - entry->window_bytes < GJKD_READ_WINDOW_S * GJKD_READ_BYTES_PER_S &&
                   bytes - entry->acknowledged_bytes + GJKD_LONG_REPLY_BYTES < entry->reply_bytes;
    entry->window_ns = now_ns;
    entry->window_bytes = bytes;
    return is_slow;
}

/* Returns true if the client has closed its sending side and all its bytes have been read. */
static bool is_disconnected(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool must_end(const struct gjkd_connections *connections, struct gjkd_connection *entry,
                     uint64_t now_ns) {
    switch (entry->progress) {
    case GJKD_IDLE:
    case GJKD_HEAD_DUE:
        return connections->closing || entry->revoked || now_ns > entry->overdue_ns ||
               is_disconnected(entry->fd);
    case GJKD_BODY_DUE:
        return is_disconnected(entry->fd);
    case GJKD_LINGERING:
        return now_ns > entry->overdue_ns || is_disconnected(entry->fd);
    case GJKD_SENDING:
        return now_ns > entry->overdue_ns || end_slow_window(entry, now_ns);
    case GJKD_WATCHING:
        return connections->closing || entry->revoked || is_disconnected(entry->fd);
    case GJKD_STREAMING:
        return connections->closing || entry->revoked;
    case GJKD_ANSWERING:
        break;
    }
    return false;
}

unsigned gjkd_connections_sweep(const struct gjkd_connections *connections, uint64_t now_ns) {
    unsigned count = 0;
    struct gjkd_connection *at;
    LIST_FOREACH (at, &connections->list, link) {
        if (must_end(connections, at, now_ns)) {
            if (at->progress != GJKD_WATCHING && at->progress != GJKD_STREAMING) {
                shutdown(at->fd, at->progress == GJKD_SENDING ? SHUT_RDWR : SHUT_RD);
            }
            count++;
            if (connections->ended != NULL) {
                connections->ended(at);
            }
        }
    }
    return count;
}

/* --- Lingering closes: bytes are read and discarded until the client closes or time is up --- */

/* Most bytes read at a time, so that a client that keeps sending does not keep the loop busy. */
#define READ_BYTES 65536

struct lingering {
    struct gjkd_lingering_closes *all;
    uv_poll_t poll;
    uv_timer_t timer;
    int fd;
    int open_handles;
};

static void on_closed(uv_handle_t *handle) {
    struct lingering *closing = handle->data;
    if (--closing->open_handles == 0) {
        close(closing->fd);
        closing->all->count--;
        free(closing);
    }
}

static void end_lingering(struct lingering *closing) {
    if (!uv_is_closing((uv_handle_t *)&closing->poll)) {
        uv_close((uv_handle_t *)&closing->poll, on_closed);
        uv_close((uv_handle_t *)&closing->timer, on_closed);
    }
}

static void on_rest_readable(uv_poll_t *poll, int status, int events) {
    static _Thread_local char discarded[READ_BYTES];
    struct lingering *closing = poll->data;
    (void)events;
    if (status < 0 || recv(closing->fd, discarded, sizeof discarded, MSG_DONTWAIT) <= 0) {
        end_lingering(closing);
    }
}

static void on_timeout(uv_timer_t *timer) {
    end_lingering(timer->data);
}

/* A separate function, because tests/tsan.supp names it. */
static int duplicate_socket(int fd) {
    return dup(fd);
}

void gjkd_lingering_close_start(struct gjkd_lingering_closes *all, int fd) {
    int copy = all->count < GJKD_LINGERING_CLOSES_MAX ? duplicate_socket(fd) : -1;
    struct lingering *closing = copy >= 0 ? calloc(1, sizeof *closing) : NULL;
    if (closing == NULL || uv_poll_init(all->uv, &closing->poll, copy) != 0) {
        free(closing);
        if (copy >= 0) {
            close(copy);
        }
        return;
    }
    closing->all = all;
    closing->fd = copy;
    closing->open_handles = 2;
    closing->poll.data = closing->timer.data = closing;
    all->count++;
    uv_timer_init(all->uv, &closing->timer);
    uv_timer_start(&closing->timer, on_timeout, GJKD_LINGER_MS, 0);
    uv_poll_start(&closing->poll, UV_READABLE | UV_DISCONNECT, on_rest_readable);
}
