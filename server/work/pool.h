#ifndef GJKD_WORK_POOL_H
#define GJKD_WORK_POOL_H

/*
 * The worker pool: threads that run tasks, so many at a time. The queue is bounded; beyond the
 * bound a task is refused at once. Clients get equal shares of processor time (fair_queue.h): a
 * long task pauses for the others in turns of GJKD_TURN_NS wherever it asks, and goes on as if
 * nothing had been, so that nothing it computes depends on that.
 */

#include "work/fair_queue.h"
#include "work/task.h"

#include <pthread.h>

/* Threads besides the workers: for those that pause, or that run too long without a pause. */
#define GJKD_SPARE_THREADS 48

/* Threads besides those, for short tasks such as small writes. They have the priority of a loop:
 * where the machine is busy, a worker may wait long for a processor. */
#define GJKD_SHORT_THREADS 4

/* Processor time after which a short task is to start over as a long one. */
#define GJKD_SHORT_NS INT64_C(500000)

/* Threads and the queue that they take tasks from. */
struct gjkd_executor {
    struct gjkd_pool *pool;
    unsigned places;                 /* tasks that run at a time */
    atomic_uint waiting;             /* tasks that are queued, and not in a line of writers */
    atomic_uint free;                /* places that no task has */
    atomic_uint wakes;               /* threads that were woken and have not looked yet */
    _Atomic uint64_t idle_workers;   /* idle threads, the last one first: pool.c */
    struct gjkd_mpsc_queue incoming; /* the newest tasks */
    pthread_mutex_t lock;            /* of what follows; never taken by a loop */
    struct gjkd_fair_queue queue;
    struct gjkd_task_list handed; /* to threads that are being woken, each with its place */
    atomic_uint handed_count;
    unsigned resting; /* threads without a task, less those that `handed` is for */
    unsigned extra;   /* places lent, because others run too long */
    uint64_t turns;   /* given so far */
    bool is_ending;
    struct gjkd_worker *threads;
    unsigned started;
};

struct gjkd_pool {
    unsigned workers;                          /* places of main; 0: it has not begun */
    unsigned queued_max;                       /* bound of `queued`, over all loops */
    atomic_uint queued;                        /* tasks submitted and not yet begun */
    atomic_uint queued_by[GJKD_QUEUE_CLIENTS]; /* of each client */
    struct gjkd_executor main, short_tasks;
    unsigned extra_max; /* places that may be lent */
    uv_sem_t watch;     /* wakes the watcher */
    atomic_bool is_watched;
    uv_thread_t watcher; /* lends places of main */
    bool has_watcher;
};

/* Starts the threads. False: out of memory or of threads. */
bool gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max);

/* Ends the workers once they have run every submitted task. Does nothing if there are none. */
void gjkd_pool_fini(struct gjkd_pool *pool);

/* Queues a task whose client, writer, is_short, completions, run and done are set. From any thread.
 * False: the queue is full; a sixteenth of its bound is open to each client even then. */
bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task);

/* Queues a task that belongs to work admitted before, and is therefore never refused. */
void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task);

/*
 * Pauses the calling task if its time slice is over and other tasks wait; returns when the next
 * slice begins. now_ns is by uv_hrtime. Does nothing on other threads. Cheap enough to be called
 * often.
 */
void gjkd_pool_pause(uint64_t now_ns);

/* Keep the calling task from pausing between the two calls, because others may wait for a lock that
 * it has. */
void gjkd_pool_hold(void);
void gjkd_pool_let_go(void);

/* Tells the pool that the calling task is about to block. From now on it does not count as a
 * worker, so that another task runs meanwhile; it does so until it ends. May be called again. */
void gjkd_pool_enter_blocking(void);

/* Begins the next writer of the calling task's line (task.h) now, because this task waits for
 * long. */
void gjkd_pool_leave_line(void);

/* Return true if a task waits for a worker, and if there are more workers than running and waiting
 * tasks. From any thread; a hint that may be out of date at once. */
bool gjkd_pool_has_waiting(struct gjkd_pool *pool);
bool gjkd_pool_has_idle_worker(struct gjkd_pool *pool);

unsigned gjkd_pool_queued(struct gjkd_pool *pool);

#endif
