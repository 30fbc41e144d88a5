
#include "work/task.h"

#include <sys/eventfd.h>
#include <unistd.h>

/*
 * Treiber's stack: tasks are pushed by compare-and-swap; the consumer takes the whole stack by
 * one exchange and reverses it. Since single tasks are never popped, the ABA problem cannot
 * occur. R. K. Treiber, Systems programming: coping with parallelism, IBM RJ 5118, 1986.
 */

void gjkd_mpsc_queue_init(struct gjkd_mpsc_queue *queue) {
    atomic_init(&queue->newest, NULL);
}

bool gjkd_mpsc_queue_put(struct gjkd_mpsc_queue *queue, struct gjkd_task *task) {
    struct gjkd_task *before = atomic_load_explicit(&queue->newest, memory_order_relaxed);
    do {
        task->next = before;
    } while (!atomic_compare_exchange_weak_explicit(&queue->newest, &before, task,
                                                    memory_order_release, memory_order_relaxed));
    return before == NULL; /* task->next is not read: the task may be freed already */
}

struct gjkd_task *gjkd_mpsc_queue_take(struct gjkd_mpsc_queue *queue) {
    struct gjkd_task *oldest = NULL;
    struct gjkd_task *rest = atomic_exchange_explicit(&queue->newest, NULL, memory_order_acquire);
    while (rest != NULL) {
        struct gjkd_task *next = rest->next;
        rest->next = oldest;
        oldest = rest;
        rest = next;
    }
    return oldest;
}

/* --- Completed tasks --- */

/*
 * An MPSC queue and an eventfd that the loop polls. uv_async_send is not used, because its receiver
 * (libuv 1.44) spins until the sender has left the call; a sender of lower priority leaves late,
 * because the receiver that it wakes on the same processor preempts it.
 */

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct gjkd_completion_queue *completions = poll->data;
    eventfd_t count;
    (void)status, (void)events;
    /* Read before the queue is emptied: a task that arrives later makes fd readable again. */
    (void)eventfd_read(completions->fd, &count);
    struct gjkd_task *task = gjkd_mpsc_queue_take(&completions->tasks);
    while (task != NULL) {
        struct gjkd_task *next = task->next;
        task->done(task);
        task = next;
    }
}

bool gjkd_completion_queue_init(struct gjkd_completion_queue *completions, uv_loop_t *uv) {
    gjkd_mpsc_queue_init(&completions->tasks);
    completions->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (completions->fd < 0 || uv_poll_init(uv, &completions->poll, completions->fd) != 0) {
        return false;
    }
    completions->poll.data = completions;
    return uv_poll_start(&completions->poll, UV_READABLE, on_readable) == 0;
}

void gjkd_completion_queue_put(struct gjkd_completion_queue *completions, struct gjkd_task *task) {
    if (gjkd_mpsc_queue_put(&completions->tasks, task)) {
        (void)eventfd_write(completions->fd, 1);
    }
}

void gjkd_completion_queue_close(struct gjkd_completion_queue *completions) {
    uv_close((uv_handle_t *)&completions->poll, NULL);
}

void gjkd_completion_queue_fini(struct gjkd_completion_queue *completions) {
    close(completions->fd);
}
