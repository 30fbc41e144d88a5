/*
 * Who does what the loops hand off? libuv's threads, shared by all loops; what is done
 * comes back on the loop that asked.
 */

#include "pool.h"

#include <stdio.h>
#include <stdlib.h>

void gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max) {
    char text[16];
    snprintf(text, sizeof text, "%u", workers);
    setenv("UV_THREADPOOL_SIZE", text, 1); /* read by libuv when its first task comes */
    pool->queued_max = queued_max;
    atomic_init(&pool->queued, 0);
}

static void on_work(uv_work_t *work) {
    struct gjkd_task *task = work->data;
    atomic_fetch_sub_explicit(&task->pool->queued, 1, memory_order_relaxed);
    task->run(task);
}

static void on_done(uv_work_t *work, int status) {
    (void)status; /* nothing is ever cancelled */
    struct gjkd_task *task = work->data;
    task->done(task);
}

bool gjkd_pool_submit(struct gjkd_pool *pool, uv_loop_t *loop, struct gjkd_task *task) {
    if (atomic_fetch_add_explicit(&pool->queued, 1, memory_order_relaxed) >= pool->queued_max) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
        return false;
    }
    task->pool = pool;
    task->work.data = task;
    uv_queue_work(loop, &task->work, on_work, on_done);
    return true;
}

unsigned gjkd_pool_queued(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->queued, memory_order_relaxed);
}
