#ifndef GJKD_WORK_POOL_H
#define GJKD_WORK_POOL_H

/*
 * The worker pool: threads that run a bounded number of tasks at a time. The queue is bounded, too;
 * beyond the bound a task is refused at once. Clients get equal shares of processor time
 * (fair_queue.h): a long task yields to others after each time slice of GJKD_TURN_NS, wherever it
 * calls gjkd_pool_pause, and then continues, so that its result does not depend on scheduling.
 */

#include "work/fair_queue.h"
#include "work/task.h"

#include <pthread.h>

/* Additional threads, for tasks that pause or that run too long without a pause. */
#define GJKD_SPARE_THREADS 48

/* Threads for short tasks such as small writes. They have the priority of loops, because on a busy
 * machine a worker may wait long for a processor. If short tasks may block, as a cluster's writes
 * do, there are GJKD_BLOCKING_THREADS more. */
#define GJKD_SHORT_THREADS 4
#define GJKD_BLOCKING_THREADS 128

/* Processor time after which a short task should start over as a long one. */
#define GJKD_SHORT_NS INT64_C(500000)

/* Threads and their queue. */
struct gjkd_executor {
    struct gjkd_pool *pool;
    unsigned slots;                  /* maximum number of running tasks */
    atomic_uint waiting;             /* queued tasks, without those in a line of writers */
    atomic_uint free;                /* number of unused slots */
    atomic_uint wakes;               /* threads that were woken and have not run yet */
    _Atomic uint64_t idle_workers;   /* stack of idle threads: see pool.c */
    struct gjkd_mpsc_queue incoming; /* newly submitted tasks */
    pthread_mutex_t lock;            /* protects the members below; never taken by a loop */
    struct gjkd_fair_queue queue;
    struct gjkd_task_list handed; /* tasks, each with a slot, for threads being woken */
    atomic_uint handed_count;
    unsigned resting; /* threads without a task, minus `handed_count` */
    unsigned extra;   /* additional slots, lent because running tasks take too long */
    uint64_t turns;   /* number of time slices given so far */
    bool is_ending;
    struct gjkd_worker *threads;
    unsigned started;
};

struct gjkd_pool {
    unsigned workers;                          /* threads that `main` may run at once; 0: none */
    unsigned queued_max;                       /* bound of `queued` */
    atomic_uint queued;                        /* tasks submitted and not begun yet */
    atomic_uint queued_by[GJKD_QUEUE_CLIENTS]; /* the same for each client */
    struct gjkd_executor main, short_tasks;
    bool short_tasks_block;
    unsigned extra_max; /* maximum number of slots that may be lent */
    uv_sem_t watch;     /* wakes the watcher thread */
    atomic_bool is_watched;
    uv_thread_t watcher; /* lends slots of `main` */
    bool has_watcher;
};

/* Starts the threads. Returns false if memory or threads are exhausted. */
bool gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max,
                    bool short_tasks_block);

/* Ends the threads after they have run all submitted tasks. Ignores a pool that is not running. */
void gjkd_pool_fini(struct gjkd_pool *pool);

/* Queues a task whose client, writer, is_short, completions, run and done are set. From any thread.
 * Returns false if the queue is full; each client may still use a sixteenth of the bound then. */
bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task);

/* Queues a task of work that was admitted earlier: never refused. */
void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task);

/*
 * Pauses the calling task if its time slice is over and other tasks wait; returns when its next
 * time slice begins. now_ns: by uv_hrtime. Does nothing on other threads. Cheap enough for frequent
 * calls.
 */
void gjkd_pool_pause(uint64_t now_ns);

/* Returns the processor time of the calling thread. The client of a task is charged for the time up
 * to the task's last call, which saves the pool a system call; without one, up to its end. */
int64_t gjkd_pool_read_time(void);

/* Between these calls the calling task does not pause, because it holds a lock that others need.
 * Calls may be nested. */
void gjkd_pool_disable_pauses(void);
void gjkd_pool_enable_pauses(void);

/* Tells the pool that the calling task is about to block: until its end it no longer counts as a
 * worker, so that another task runs meanwhile. May be called repeatedly. */
void gjkd_pool_enter_blocking(void);

/* Lets the next writer of this task's line (task.h) begin, because this task waits for long. */
void gjkd_pool_leave_line(void);

/* Return true if a task waits for a worker, and if more workers are idle than tasks wait. From any
 * thread; a hint that may be out of date at once. */
bool gjkd_pool_has_waiting(struct gjkd_pool *pool);
bool gjkd_pool_has_idle_worker(struct gjkd_pool *pool);

unsigned gjkd_pool_queued(struct gjkd_pool *pool);

#endif
