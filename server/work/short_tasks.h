#ifndef GJKD_WORK_SHORT_TASKS_H
#define GJKD_WORK_SHORT_TASKS_H

/*
 * Threads for short tasks, such as small writes, beside the workers: with the priority of a loop,
 * and without a lock that a worker ever holds. Where the machine is busy a worker may wait long for
 * a processor; so would a short task that waits for one, or for a lock of one. Clients get equal
 * shares here, too (fair_queue.h). A task that turns out to be long goes to the workers.
 */

#include "work/fair_queue.h"
#include "work/task.h"

#include <pthread.h>
#include <uv.h>

#define GJKD_SHORT_THREADS 4

/* Processor time after which a short task is to start over as another one. */
#define GJKD_SHORT_NS INT64_C(500000)

struct gjkd_short_tasks {
    void *owner;
    void (*begun)(void *owner, const struct gjkd_task *task); /* a task is about to run */
    void (*is_long)(void *owner, struct gjkd_task *task);     /* that asks to be requeued */
    struct gjkd_mpsc_queue incoming;
    atomic_uint resting; /* threads, less those that are being woken */
    uv_sem_t wake;
    pthread_mutex_t lock; /* of what follows */
    struct gjkd_fair_queue queue;
    unsigned waiting; /* in the queue, without writers that line up */
    bool is_ending;
    unsigned started;
    uv_thread_t threads[GJKD_SHORT_THREADS];
};

/* Starts the threads. The callbacks are set, which are called on them, and the rest is zero.
 * Returns false if not all could be started; end them all the same. */
bool gjkd_short_tasks_init(struct gjkd_short_tasks *tasks);

/* Ends the threads once they have run every task. */
void gjkd_short_tasks_fini(struct gjkd_short_tasks *tasks);

/* Queues a task, from any thread. It completes, is detached, or asks to be requeued. */
void gjkd_short_tasks_put(struct gjkd_short_tasks *tasks, struct gjkd_task *task);

#endif
