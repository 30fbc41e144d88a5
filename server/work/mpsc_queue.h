#ifndef GJKD_WORK_MPSC_QUEUE_H
#define GJKD_WORK_MPSC_QUEUE_H

/*
 * Where many threads leave tasks for one reader, without a lock: nobody waits for somebody who
 * was interrupted in the middle.
 */

#include <stdatomic.h>
#include <stdbool.h>

struct gjkd_task;

struct gjkd_mpsc_queue {
    struct gjkd_task *_Atomic newest; /* linked by `next` to the oldest */
};

void gjkd_mpsc_queue_init(struct gjkd_mpsc_queue *inbox);

/* From any thread. True: it was empty before, so the reader has to be told. */
bool gjkd_mpsc_queue_put(struct gjkd_mpsc_queue *inbox, struct gjkd_task *task);

/* All that is there, the oldest first, linked by `next`; NULL: nothing. One thread at a time. */
struct gjkd_task *gjkd_mpsc_queue_take(struct gjkd_mpsc_queue *inbox);

#endif
