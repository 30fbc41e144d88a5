#ifndef GJKD_WORK_POOL_H
#define GJKD_WORK_POOL_H

/*
 * The worker pool: threads that run tasks in the order of their submission. The queue is bounded;
 * beyond the bound a task is refused at once.
 */

#include "work/completion_queue.h"

#include <pthread.h>

struct gjkd_pool {
    unsigned workers;
    unsigned queued_max; /* bound of `queued`, over all loops */
    atomic_uint queued;  /* tasks submitted and not yet begun */
    atomic_uint waiting; /* those and the resumed ones */
    atomic_uint busy;    /* workers that run a task */

    uv_sem_t tasks; /* counts the tasks that wait, and in the end each worker once */
    struct gjkd_mpsc_queue incoming; /* the newest tasks */
    pthread_mutex_t lock;            /* of `first`; taken by workers only */
    struct gjkd_task *first;         /* the tasks before those, oldest first */
    uv_thread_t *threads;
    unsigned started;
};

/* Starts the workers. False: out of memory or of threads. */
bool gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max);

/* Ends the workers once they have run every submitted task. Does nothing if there are none. */
void gjkd_pool_fini(struct gjkd_pool *pool);

/* Queues a task whose completions, run and done are set. From any thread. False: the queue is
 * full. */
bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task);

/* Queues a task that belongs to work admitted before, and is therefore never refused. */
void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task);

/* Whether a task waits for a worker, and whether there are more workers than running and waiting
 * tasks. From any thread; a hint that may be out of date at once. */
bool gjkd_pool_has_waiting(struct gjkd_pool *pool);
bool gjkd_pool_has_idle_worker(struct gjkd_pool *pool);

unsigned gjkd_pool_queued(struct gjkd_pool *pool);

#endif
