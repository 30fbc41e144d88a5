/*
 * How does a loop learn that a worker is done? By a byte count in an eventfd that it polls.
 * uv_async_send would do it too, but its receiver (libuv 1.44) spins until its sender has left
 * the call; and a sender of lower priority leaves it late, because the receiver, woken by it on
 * the same processor, is what interrupts it.
 */

#include "work/completion_queue.h"

#include "work/pool.h"

#include <sys/eventfd.h>
#include <unistd.h>

static void on_told(uv_poll_t *poll, int status, int events) {
    struct gjkd_completion_queue *returns = poll->data;
    eventfd_t count;
    (void)status, (void)events;
    (void)eventfd_read(returns->fd, &count); /* before the look: what comes after it tells again */
    struct gjkd_task *task = gjkd_mpsc_queue_take(&returns->inbox);
    while (task != NULL) {
        struct gjkd_task *next = task->next;
        task->done(task);
        task = next;
    }
}

bool gjkd_completion_queue_init(struct gjkd_completion_queue *returns, uv_loop_t *uv) {
    gjkd_mpsc_queue_init(&returns->inbox);
    returns->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (returns->fd < 0 || uv_poll_init(uv, &returns->poll, returns->fd) != 0) {
        return false;
    }
    returns->poll.data = returns;
    return uv_poll_start(&returns->poll, UV_READABLE, on_told) == 0;
}

void gjkd_completion_queue_put(struct gjkd_completion_queue *returns, struct gjkd_task *task) {
    if (gjkd_mpsc_queue_put(&returns->inbox, task)) {
        (void)eventfd_write(returns->fd, 1);
    }
}

void gjkd_completion_queue_close(struct gjkd_completion_queue *returns) {
    uv_close((uv_handle_t *)&returns->poll, NULL);
}

void gjkd_completion_queue_fini(struct gjkd_completion_queue *returns) {
    close(returns->fd);
}
