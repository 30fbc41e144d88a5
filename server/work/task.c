#include "work/task.h"

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
