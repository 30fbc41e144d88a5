/* When may a refused connection really end? When the client has closed, or time is up. */

#include "http/linger.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Read at once; a client that keeps sending must not keep the loop. */
#define READ_BYTES 65536

struct lingering {
    struct gjkd_lingers *lingers;
    uv_poll_t poll;
    uv_timer_t timer;
    int fd;
    int open_handles;
};

static void on_closed(uv_handle_t *handle) {
    struct lingering *linger = handle->data;
    if (--linger->open_handles == 0) {
        close(linger->fd);
        linger->lingers->count--;
        free(linger);
    }
}

static void end(struct lingering *linger) {
    if (!uv_is_closing((uv_handle_t *)&linger->poll)) {
        uv_close((uv_handle_t *)&linger->poll, on_closed);
        uv_close((uv_handle_t *)&linger->timer, on_closed);
    }
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    static _Thread_local char waste[READ_BYTES];
    struct lingering *linger = poll->data;
    (void)events;
    if (status < 0 || recv(linger->fd, waste, sizeof waste, MSG_DONTWAIT) <= 0) {
        end(linger);
    }
}

static void on_timeout(uv_timer_t *timer) {
    end(timer->data);
}

void gjkd_linger(struct gjkd_lingers *lingers, int fd) {
    struct lingering *linger = lingers->count < GJKD_LINGERS_MAX ? calloc(1, sizeof *linger) : NULL;
    if (linger == NULL || uv_poll_init(lingers->uv, &linger->poll, fd) != 0) {
        free(linger);
        close(fd);
        return;
    }
    linger->lingers = lingers;
    linger->fd = fd;
    linger->open_handles = 2;
    linger->poll.data = linger->timer.data = linger;
    lingers->count++;
    uv_timer_init(lingers->uv, &linger->timer);
    uv_timer_start(&linger->timer, on_timeout, GJKD_LINGER_MS, 0);
    uv_poll_start(&linger->poll, UV_READABLE | UV_DISCONNECT, on_readable);
}
