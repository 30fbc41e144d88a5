/*
 * Who does what the loops hand off? libuv's threads, shared by all loops; what is done
 * comes back on the loop that asked.
 */

#include "pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* What workers wait for the loops by, on a processor that both want: long work may take a
 * little longer, a short question must not. Measured with 2 processors: tests/bench/run.sh wire. */
#define WORKER_NICE 10

void gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max) {
    char text[16];
    snprintf(text, sizeof text, "%u", workers);
    setenv("UV_THREADPOOL_SIZE", text, 1); /* read by libuv when its first task comes */
    pool->workers = workers;
    pool->queued_max = queued_max;
    atomic_init(&pool->queued, 0);
    atomic_init(&pool->waiting, 0);
}

/* libuv makes its threads without telling: each steps back when its first task comes. Where
 * that is not allowed, all threads stay equal. */
static void step_back(void) {
    static _Thread_local bool has_stepped_back;
    if (!has_stepped_back) {
        has_stepped_back = true;
        (void)setpriority(PRIO_PROCESS, 0, WORKER_NICE); /* Linux: of this thread */
    }
}

static void on_work(uv_work_t *work) {
    step_back();
    struct gjkd_task *task = work->data;
    struct gjkd_pool *pool = task->pool;
    atomic_fetch_sub_explicit(&pool->waiting, 1, memory_order_relaxed);
    if (task->is_counted) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
    }
    task->run(task);
}

static void on_done(uv_work_t *work, int status) {
    (void)status; /* nothing is ever cancelled */
    struct gjkd_task *task = work->data;
    task->done(task);
}

static void queue(struct gjkd_pool *pool, uv_loop_t *loop, struct gjkd_task *task, bool counts) {
    atomic_fetch_add_explicit(&pool->waiting, 1, memory_order_relaxed);
    task->pool = pool;
    task->is_counted = counts;
    task->work.data = task;
    uv_queue_work(loop, &task->work, on_work, on_done);
}

bool gjkd_pool_submit(struct gjkd_pool *pool, uv_loop_t *loop, struct gjkd_task *task) {
    if (atomic_fetch_add_explicit(&pool->queued, 1, memory_order_relaxed) >= pool->queued_max) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
        return false;
    }
    queue(pool, loop, task, true);
    return true;
}

void gjkd_pool_resume(struct gjkd_pool *pool, uv_loop_t *loop, struct gjkd_task *task) {
    queue(pool, loop, task, false);
}

unsigned gjkd_pool_queued(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->queued, memory_order_relaxed);
}

bool gjkd_pool_is_wanted(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->waiting, memory_order_relaxed) > 0;
}
