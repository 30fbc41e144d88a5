/*
 * Tasks go through an MPSC queue and a semaphore, so that a loop that submits one never blocks.
 * Workers move the queue's content, under a lock of their own, to a list and take from that.
 */

#include "work/pool.h"

#include "work/thread_priority.h"

#include <stdlib.h>

static struct gjkd_task *next_task(struct gjkd_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    if (pool->first == NULL) {
        pool->first = gjkd_mpsc_queue_take(&pool->incoming);
    }
    struct gjkd_task *task = pool->first;
    if (task != NULL) {
        pool->first = task->next;
    }
    pthread_mutex_unlock(&pool->lock);
    return task;
}

static void enqueue(struct gjkd_pool *pool, struct gjkd_task *task, bool is_counted) {
    atomic_fetch_add_explicit(&pool->waiting, 1, memory_order_relaxed);
    task->is_counted = is_counted;
    (void)gjkd_mpsc_queue_put(&pool->incoming, task);
    uv_sem_post(&pool->tasks);
}

static void run(struct gjkd_pool *pool, struct gjkd_task *task) {
    atomic_fetch_add_explicit(&pool->busy, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&pool->waiting, 1, memory_order_relaxed);
    if (task->is_counted) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
    }
    gjkd_task_result result = task->run(task);
    atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_relaxed);
    switch (result) {
    case GJKD_TASK_COMPLETE:
        gjkd_completion_queue_put(task->completions, task);
        break;
    case GJKD_TASK_REQUEUE:
        enqueue(pool, task, false);
        break;
    case GJKD_TASK_DETACHED:
        break;
    }
}

static void work(void *closure) {
    struct gjkd_pool *pool = closure;
    gjkd_thread_priority_set_worker();
    for (;;) {
        uv_sem_wait(&pool->tasks);
        struct gjkd_task *task = next_task(pool);
        if (task == NULL) {
            return; /* the semaphore was raised by gjkd_pool_fini */
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
    gjkd_mpsc_queue_init(&pool->incoming);
    pool->threads = calloc(workers, sizeof *pool->threads);
    if (pool->threads == NULL) {
        return false;
    }
    pthread_mutex_init(&pool->lock, NULL);
    if (uv_sem_init(&pool->tasks, 0) != 0) {
        abort(); /* fails only on a wrong argument */
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
    pthread_mutex_destroy(&pool->lock);
    uv_sem_destroy(&pool->tasks);
    free(pool->threads);
    pool->threads = NULL;
}

bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task) {
    if (atomic_fetch_add_explicit(&pool->queued, 1, memory_order_relaxed) >= pool->queued_max) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
        return false;
    }
    enqueue(pool, task, true);
    return true;
}

void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task) {
    enqueue(pool, task, false);
}

unsigned gjkd_pool_queued(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->queued, memory_order_relaxed);
}

bool gjkd_pool_has_waiting(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->waiting, memory_order_relaxed) > 0;
}

bool gjkd_pool_has_idle_worker(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->busy, memory_order_relaxed) +
               atomic_load_explicit(&pool->waiting, memory_order_relaxed) <
           pool->workers;
}
