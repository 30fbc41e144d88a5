#ifndef GJKD_POOL_H
#define GJKD_POOL_H

/*
 * The seam to libuv's worker pool: nothing else hands work to it. The queue is bounded;
 * past the bound a task is refused at once instead of waiting for ever.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

struct gjkd_pool {
    unsigned workers;
    unsigned queued_max; /* tasks that may wait for a worker, over all loops */
    atomic_uint queued;  /* submitted, not yet begun */
    atomic_uint waiting; /* those and the resumed ones */
};

/* Caller's storage, which must live until done has been called. */
struct gjkd_task {
    uv_work_t work;
    struct gjkd_pool *pool;
    bool is_counted;
    void (*run)(struct gjkd_task *task);  /* on a worker */
    void (*done)(struct gjkd_task *task); /* on the submitting loop's thread */
};

/* Before the first task of the process: how many workers libuv is to start. */
void gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max);

/* Call on loop's own thread; run and done are set. False when the queue is full. */
bool gjkd_pool_submit(struct gjkd_pool *pool, uv_loop_t *loop, struct gjkd_task *task);

/* The same for what was let in before and stepped aside for others: never refused. */
void gjkd_pool_resume(struct gjkd_pool *pool, uv_loop_t *loop, struct gjkd_task *task);

/* Does anything wait for a worker? From any thread. */
bool gjkd_pool_is_wanted(struct gjkd_pool *pool);

unsigned gjkd_pool_queued(struct gjkd_pool *pool);

#endif
