#ifndef GJKD_WORK_POOL_H
#define GJKD_WORK_POOL_H

/*
 * The workers: threads that do what loops hand off, in the order in which it came. The queue is
 * bounded; past the bound a task is refused at once instead of waiting for ever.
 */

#include "work/completion_queue.h"
#include "work/mpsc_queue.h"

struct gjkd_pool {
    unsigned workers;
    unsigned queued_max; /* tasks that may wait for a worker, over all loops */
    atomic_uint queued;  /* submitted, not yet begun */
    atomic_uint waiting; /* those and the resumed ones */
    atomic_uint busy;    /* workers with a task */

    uv_sem_t tasks; /* one count for each task that waits, and at the end for each worker */
    struct gjkd_mpsc_queue inbox; /* what came last */
    uv_mutex_t lock;              /* among workers only: of first */
    struct gjkd_task *first;      /* what came before that */
    uv_thread_t *threads;
    unsigned started;
};

/* What becomes of a task that has run. */
typedef enum gjkd_turn {
    GJKD_TURN_DONE,  /* its loop is to be told */
    GJKD_TURN_AGAIN, /* it is to run once more, after those who wait */
    GJKD_TURN_OVER,  /* nothing: it may be gone already */
} gjkd_turn;

/* Caller's storage, which must live until done has been called or run has said OVER. */
struct gjkd_task {
    struct gjkd_task *next;
    struct gjkd_completion_queue *returns; /* of the loop that submits */
    bool is_counted;
    gjkd_turn (*run)(struct gjkd_task *task); /* on a worker */
    void (*done)(struct gjkd_task *task);     /* on the loop's thread */
};

/* Starts the workers. False: the system has no threads to give. */
bool gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max);

/* Ends them, once they have done all that was submitted. Nothing where there are none. */
void gjkd_pool_fini(struct gjkd_pool *pool);

/* From any thread; returns, run and done are set. False when the queue is full. */
bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task);

/* The same for help with what was let in before: never refused. */
void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task);

/* Does anything wait for a worker? Is there a worker for more than that? From any thread; by the
 * next moment it may be otherwise. */
bool gjkd_pool_is_wanted(struct gjkd_pool *pool);
bool gjkd_pool_has_hands(struct gjkd_pool *pool);

unsigned gjkd_pool_queued(struct gjkd_pool *pool);

#endif
