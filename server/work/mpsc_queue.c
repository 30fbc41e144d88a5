/*
 * How do tasks change threads? Pushed on a stack by compare and swap, all taken at once by an
 * exchange (so that no task can come back in between, and ABA cannot be), and put in order then.
 * R. K. Treiber, Systems programming: coping with parallelism, IBM RJ 5118, 1986.
 */

#include "work/mpsc_queue.h"

#include "work/pool.h"

void gjkd_mpsc_queue_init(struct gjkd_mpsc_queue *inbox) {
    atomic_init(&inbox->newest, NULL);
}

bool gjkd_mpsc_queue_put(struct gjkd_mpsc_queue *inbox, struct gjkd_task *task) {
    struct gjkd_task *before = atomic_load_explicit(&inbox->newest, memory_order_relaxed);
    do {
        task->next = before;
    } while (!atomic_compare_exchange_weak_explicit(&inbox->newest, &before, task,
                                                    memory_order_release, memory_order_relaxed));
    return before == NULL; /* the task may be gone already */
}

struct gjkd_task *gjkd_mpsc_queue_take(struct gjkd_mpsc_queue *inbox) {
    struct gjkd_task *oldest = NULL;
    struct gjkd_task *left = atomic_exchange_explicit(&inbox->newest, NULL, memory_order_acquire);
    while (left != NULL) {
        struct gjkd_task *next = left->next;
        left->next = oldest;
        oldest = left;
        left = next;
    }
    return oldest;
}
