/* Reads until the client closes or the time is up. */

#include "http/lingering_close.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bytes read in one turn, so that a client that keeps sending does not keep the loop busy. */
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

static void end(struct lingering *closing) {
    if (!uv_is_closing((uv_handle_t *)&closing->poll)) {
        uv_close((uv_handle_t *)&closing->poll, on_closed);
        uv_close((uv_handle_t *)&closing->timer, on_closed);
    }
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    static _Thread_local char discarded[READ_BYTES];
    struct lingering *closing = poll->data;
    (void)events;
    if (status < 0 || recv(closing->fd, discarded, sizeof discarded, MSG_DONTWAIT) <= 0) {
        end(closing);
    }
}

static void on_timeout(uv_timer_t *timer) {
    end(timer->data);
}

/* A function of its own, because tests/tsan.supp names it. */
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
    uv_poll_start(&closing->poll, UV_READABLE | UV_DISCONNECT, on_readable);
}
