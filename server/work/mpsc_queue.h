#ifndef GJKD_WORK_MPSC_QUEUE_H
#define GJKD_WORK_MPSC_QUEUE_H

/*
 * A lock-free queue of tasks with many producers and a single consumer: a producer that is
 * preempted in the middle of a call blocks nobody.
 */

#include "work/task.h"

#include <stdatomic.h>
#include <stddef.h>

struct gjkd_mpsc_queue {
    struct gjkd_task *_Atomic newest; /* linked by `next` to the oldest */
};

void gjkd_mpsc_queue_init(struct gjkd_mpsc_queue *queue);

/* From any thread. True: the queue was empty before, so the consumer has to be woken. */
bool gjkd_mpsc_queue_put(struct gjkd_mpsc_queue *queue, struct gjkd_task *task);

/* Takes every task, the oldest first, linked by `next`; NULL: the queue is empty. By one thread
 * at a time. */
struct gjkd_task *gjkd_mpsc_queue_take(struct gjkd_mpsc_queue *queue);

#endif
