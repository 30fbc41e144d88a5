/*
 * Who does what the loops hand off? Threads that take tasks in the order of their arrival. A loop
 * leaves a task in an inbox and counts a semaphore up, neither of which waits for anybody: the
 * only lock is among the workers, who may be interrupted for a loop while they hold it.
 */

#include "work/pool.h"

#include "work/thread_priority.h"

#include <stdlib.h>

static struct gjkd_task *next_task(struct gjkd_pool *pool) {
    uv_mutex_lock(&pool->lock);
    if (pool->first == NULL) {
        pool->first = gjkd_mpsc_queue_take(&pool->inbox);
    }
    struct gjkd_task *task = pool->first;
    if (task != NULL) {
        pool->first = task->next;
    }
    uv_mutex_unlock(&pool->lock);
    return task;
}

static void queue(struct gjkd_pool *pool, struct gjkd_task *task, bool counts) {
    atomic_fetch_add_explicit(&pool->waiting, 1, memory_order_relaxed);
    task->is_counted = counts;
    (void)gjkd_mpsc_queue_put(&pool->inbox, task);
    uv_sem_post(&pool->tasks);
}

static void run(struct gjkd_pool *pool, struct gjkd_task *task) {
    atomic_fetch_add_explicit(&pool->busy, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&pool->waiting, 1, memory_order_relaxed);
    if (task->is_counted) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
    }
    gjkd_turn turn = task->run(task);
    atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_relaxed);
    switch (turn) {
    case GJKD_TURN_DONE:
        gjkd_completion_queue_put(task->returns, task);
        break;
    case GJKD_TURN_AGAIN:
        queue(pool, task, false);
        break;
    case GJKD_TURN_OVER:
        break;
    }
}

static void work(void *closure) {
    struct gjkd_pool *pool = closure;
    gjkd_thread_priority_of_worker();
    for (;;) {
        uv_sem_wait(&pool->tasks);
        struct gjkd_task *task = next_task(pool);
        if (task == NULL) {
            return; /* counted, but not there: this is the end */
        }
        run(pool, task);
    }
}

static bool start_workers(struct gjkd_pool *pool) {
    while (pool->started < pool->workers &&
           uv_thread_create(&pool->threads[pool->started], work, pool) == 0) {
        pool->started++;
    }
    return pool->started == pool->workers;
}

bool gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max) {
    *pool = (struct gjkd_pool){.workers = workers, .queued_max = queued_max};
    atomic_init(&pool->queued, 0);
    atomic_init(&pool->waiting, 0);
    atomic_init(&pool->busy, 0);
    gjkd_mpsc_queue_init(&pool->inbox);
    pool->threads = calloc(workers, sizeof *pool->threads);
    if (pool->threads == NULL) {
        return false;
    }
    if (uv_sem_init(&pool->tasks, 0) != 0 || uv_mutex_init(&pool->lock) != 0) {
        abort(); /* they ask for nothing that could be missing */
    }
    bool fine = start_workers(pool);
    if (!fine) {
        gjkd_pool_fini(pool);
    }
    return fine;
}

void gjkd_pool_fini(struct gjkd_pool *pool) {
    if (pool->threads == NULL) {
        return;
    }
    for (unsigned i = 0; i < pool->started; i++) {
        uv_sem_post(&pool->tasks);
    }
    for (unsigned i = 0; i < pool->started; i++) {
        uv_thread_join(&pool->threads[i]);
    }
    uv_mutex_destroy(&pool->lock);
    uv_sem_destroy(&pool->tasks);
    free(pool->threads);
    pool->threads = NULL;
}

bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task) {
    if (atomic_fetch_add_explicit(&pool->queued, 1, memory_order_relaxed) >= pool->queued_max) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
        return false;
    }
    queue(pool, task, true);
    return true;
}

void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task) {
    queue(pool, task, false);
}

unsigned gjkd_pool_queued(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->queued, memory_order_relaxed);
}

bool gjkd_pool_is_wanted(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->waiting, memory_order_relaxed) > 0;
}

bool gjkd_pool_has_hands(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->busy, memory_order_relaxed) +
               atomic_load_explicit(&pool->waiting, memory_order_relaxed) <
           pool->workers;
}
