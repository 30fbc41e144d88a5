/*
 * Tasks come by an MPSC queue, so that a loop never waits for the lock. A thread that takes one and
 * leaves others wakes the next thread, so that as many run as there is work for.
 */

#include "work/short_tasks.h"

#include "util/process.h"
#include "util/timing.h"
#include "work/task.h"

#include <limits.h>
#include <stdlib.h>

/* Wakes a thread, if one rests. */
static void wake(struct gjkd_short_tasks *tasks) {
    unsigned resting = atomic_load(&tasks->resting);
    while (resting > 0 && !atomic_compare_exchange_weak(&tasks->resting, &resting, resting - 1)) {
    }
    if (resting > 0) {
        uv_sem_post(&tasks->wake);
    }
}

void gjkd_short_tasks_put(struct gjkd_short_tasks *tasks, struct gjkd_task *task) {
    if (gjkd_mpsc_queue_put(&tasks->incoming, task)) {
        atomic_thread_fence(memory_order_seq_cst); /* before `resting` is read: see rest */
        wake(tasks);
    }
}

/* --- Under the lock --- */

static struct gjkd_task *take_short(struct gjkd_short_tasks *tasks) {
    unsigned lined_up = 0;
    for (struct gjkd_task *task = gjkd_mpsc_queue_take(&tasks->incoming), *next; task != NULL;
         task = next) {
        next = task->next;
        gjkd_fair_queue_put(&tasks->queue, task);
        tasks->waiting++;
    }
    struct gjkd_task *task = gjkd_fair_queue_take(&tasks->queue, INT_MAX, &lined_up);
    tasks->waiting -= lined_up + (task != NULL ? 1 : 0);
    return task;
}

/* --- Threads --- */

/* Looks once more for what came before the thread could be found resting: all threads agree that
 * it rests first and looks then. */
static void rest(struct gjkd_short_tasks *tasks) {
    atomic_fetch_add(&tasks->resting, 1);
    if (atomic_load(&tasks->incoming.newest) != NULL) {
        wake(tasks);
    }
    uv_sem_wait(&tasks->wake);
}

static int64_t run_short(struct gjkd_short_tasks *tasks, struct gjkd_task *task) {
    struct gjkd_completion_queue *completions = task->completions;
    const int64_t begun_ns = gjkd_timing_thread_ns();
    tasks->begun(tasks->owner, task);
    const gjkd_task_result result = task->run(task);
    const int64_t used_ns = gjkd_timing_thread_ns() - begun_ns;
    if (result == GJKD_TASK_COMPLETE) {
        gjkd_completion_queue_put(completions, task);
    } else if (result == GJKD_TASK_REQUEUE) {
        task->is_short = false;
        tasks->is_long(tasks->owner, task);
    }
    return used_ns;
}

static void work_on_short(void *closure) {
    struct gjkd_short_tasks *tasks = closure;
    gjkd_thread_priority_set_loop();
    pthread_mutex_lock(&tasks->lock);
    for (;;) {
        struct gjkd_task *task = take_short(tasks);
        const bool are_left = tasks->waiting > 0;
        const bool is_over = task == NULL && tasks->is_ending;
        pthread_mutex_unlock(&tasks->lock);
        if (is_over) {
            break;
        }
        if (task == NULL) {
            rest(tasks);
            pthread_mutex_lock(&tasks->lock);
            continue;
        }
        if (are_left) {
            wake(tasks);
        }
        const struct gjkd_task ran = *task; /* which may be freed when it has run */
        const int64_t used_ns = run_short(tasks, task);
        pthread_mutex_lock(&tasks->lock);
        /* A task has run, which may be gone. */
        gjkd_fair_queue_charge(&tasks->queue, ran.client, used_ns);
        gjkd_fair_queue_end(&tasks->queue, ran.client);
        if (ran.writer != 0 && gjkd_fair_queue_next_writer(&tasks->queue, ran.writer)) {
            tasks->waiting++;
        }
    }
}

/* --- Life --- */

bool gjkd_short_tasks_init(struct gjkd_short_tasks *tasks) {
    gjkd_mpsc_queue_init(&tasks->incoming);
    pthread_mutex_init(&tasks->lock, NULL);
    if (uv_sem_init(&tasks->wake, 0) != 0) {
        abort(); /* fails only on a wrong argument */
    }
    while (tasks->started < GJKD_SHORT_THREADS &&
           uv_thread_create(&tasks->threads[tasks->started], work_on_short, tasks) == 0) {
        tasks->started++;
    }
    return tasks->started == GJKD_SHORT_THREADS;
}

void gjkd_short_tasks_fini(struct gjkd_short_tasks *tasks) {
    pthread_mutex_lock(&tasks->lock);
    tasks->is_ending = true;
    pthread_mutex_unlock(&tasks->lock);
    for (unsigned i = 0; i < tasks->started; i++) {
        uv_sem_post(&tasks->wake);
    }
    for (unsigned i = 0; i < tasks->started; i++) {
        uv_thread_join(&tasks->threads[i]);
    }
    pthread_mutex_destroy(&tasks->lock);
    uv_sem_destroy(&tasks->wake);
}
