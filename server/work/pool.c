/*
 * Tasks pass through an MPSC queue, and threads are woken by a semaphore, so that a submitting loop
 * never blocks. Under a lock that only pool threads take, they move arrived tasks to the fair queue
 * and take tasks from it. The threads for short tasks share nothing with the workers, not even a
 * lock.
 *
 * There are more threads than workers: a thread needs one of a limited number of slots to run. A
 * task that pauses keeps its thread, gives its slot to the next task and waits in the queue again.
 * For tasks that never pause (building a large set) there is a watcher: if no task has begun for a
 * while although some wait, it lends an additional slot, and the system's scheduler shares the
 * processors.
 */

#include "work/pool.h"

#include "util/process.h"
#include "util/timing.h"

#include <stdlib.h>
#include <string.h>

/* Time without a new task before a slot is lent, and maximum number of lent slots. */
#define STALL_MS 10
#define EXTRA_MAX 8

/* Part of the queue's bound that each client may use although the queue is full, as a divisor. */
#define CLIENT_PART 16

/* A thread, and its task. */
struct gjkd_worker {
    struct gjkd_executor *executor;
    uv_thread_t thread;
    uv_sem_t wake;         /* posted when the thread should look for a task */
    _Atomic uint64_t next; /* index of the next idle worker, plus one */
    struct gjkd_task *task;
    uint64_t turn_ns; /* start of its time slice, not counting time without a processor */
    int64_t cpu_ns;   /* processor time of the thread at turn_ns */
    int64_t read_ns;  /* the last that its task has read; 0: none */
    uv_sem_t resumed; /* posted when the next time slice of its paused task begins */
    unsigned pauses_disabled;
    bool lacks_slot; /* runs without a slot */
    bool has_left_line;
};

static _Thread_local struct gjkd_worker *this_worker; /* NULL: the thread runs no task */

/* --- Rest --- */

/*
 * Idle threads form a stack, so that as few of them as possible take turns: their caches and
 * malloc's arenas stay warm. It is Treiber's stack, of indices; a counter of changes beside the top
 * index prevents the ABA problem.
 */
#define INDEX_BITS 16
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)

static void push_idle_worker(struct gjkd_worker *worker) {
    struct gjkd_executor *executor = worker->executor;
    const uint64_t index = (uint64_t)(worker - executor->threads) + 1; /* 0 is the end of the
                                                                          stack */
    uint64_t top = atomic_load(&executor->idle_workers), changed;
    do {
        atomic_store(&worker->next, top & INDEX_MASK);
        changed = ((top >> INDEX_BITS) + 1) << INDEX_BITS | index;
    } while (!atomic_compare_exchange_weak(&executor->idle_workers, &top, changed));
}

/* Wakes an idle thread that has not been woken yet. Returns false if there is none. */
static bool wake_idle_worker(struct gjkd_executor *executor) {
    uint64_t top = atomic_load(&executor->idle_workers), changed;
    do {
        if ((top & INDEX_MASK) == 0) {
            return false;
        }
        changed = ((top >> INDEX_BITS) + 1) << INDEX_BITS |
                  atomic_load(&executor->threads[(top & INDEX_MASK) - 1].next);
    } while (!atomic_compare_exchange_weak(&executor->idle_workers, &top, changed));
    atomic_fetch_add(&executor->wakes, 1);
    uv_sem_post(&executor->threads[(top & INDEX_MASK) - 1].wake);
    return true;
}

static bool has_waiting(const struct gjkd_executor *executor) {
    return atomic_load_explicit(&executor->waiting, memory_order_relaxed) > 0;
}

/* Wakes a thread, unless enough threads for the free slots are waking up already. */
static void wake(struct gjkd_executor *executor) {
    if (atomic_load(&executor->wakes) < atomic_load(&executor->free)) {
        (void)wake_idle_worker(executor);
    }
}

static void wake_watcher(struct gjkd_pool *pool) {
    if (!atomic_load(&pool->is_watched) && !atomic_exchange(&pool->is_watched, true)) {
        uv_sem_post(&pool->watch);
    }
}

/* Wakes a thread for a waiting task. If no slot is free, wakes the watcher instead, which lends
 * slots to the main executor. */
static void wake_for_waiting(struct gjkd_executor *executor) {
    if (atomic_load(&executor->free) > 0) {
        wake(executor);
    } else if (executor == &executor->pool->main) {
        wake_watcher(executor->pool);
    }
}

static void enqueue(struct gjkd_pool *pool, struct gjkd_task *task, bool is_counted) {
    const bool is_short = task->is_short; /* read first: another thread may run and free the task
                                             once it is queued */
    struct gjkd_executor *executor = is_short ? &pool->short_tasks : &pool->main;
    task->is_counted = is_counted;
    task->paused = NULL;
    atomic_fetch_add_explicit(&executor->waiting, 1, memory_order_relaxed);
    if (!gjkd_mpsc_queue_put(&executor->incoming, task)) {
        return; /* the thread that takes the earlier tasks wakes the next one */
    }
    atomic_thread_fence(memory_order_seq_cst); /* before reading `free`: see release_slot */
    wake_for_waiting(executor);
}

/* Waits until woken, after a last check for tasks that came before it was listed as idle. */
static void rest(struct gjkd_worker *worker) {
    struct gjkd_executor *executor = worker->executor;
    push_idle_worker(worker);
    if (atomic_load(&executor->handed_count) > 0) {
        (void)wake_idle_worker(executor);
    } else if (has_waiting(executor)) {
        wake(executor);
    }
    uv_sem_wait(&worker->wake);
    atomic_fetch_sub(&executor->wakes, 1);
}

/* --- Under the lock --- */

static void drain_incoming(struct gjkd_executor *executor) {
    struct gjkd_task *task = gjkd_mpsc_queue_take(&executor->incoming);
    while (task != NULL) {
        struct gjkd_task *next = task->next;
        gjkd_fair_queue_put(&executor->queue, task);
        task = next;
    }
}

/* Takes the task whose turn it is: a paused one or, if may_begin, a new one. One client may begin
 * at most half as many tasks as threads rest, or one for each slot. */
static struct gjkd_task *take_task(struct gjkd_executor *executor, bool may_begin) {
    const unsigned half = executor->resting / 2;
    const unsigned begun_max = half > executor->slots ? half : executor->slots;
    unsigned lined_up = 0;
    drain_incoming(executor);
    struct gjkd_task *task =
        gjkd_fair_queue_take(&executor->queue, may_begin ? (int)begun_max : -1, &lined_up);
    atomic_fetch_sub_explicit(&executor->waiting, lined_up + (task != NULL ? 1 : 0),
                              memory_order_relaxed);
    executor->turns += task != NULL ? 1 : 0;
    return task;
}

/* Releases the thread's slot. The fence pairs with that of enqueue: a later task finds the slot
 * free and wakes a thread; an earlier one is seen by the next take. */
static void release_slot(struct gjkd_executor *executor, struct gjkd_worker *worker) {
    if (worker->lacks_slot) {
        worker->lacks_slot = false;
    } else if (executor->extra > 0) {
        executor->extra--;
    } else {
        atomic_fetch_add(&executor->free, 1);
    }
    atomic_thread_fence(memory_order_seq_cst);
}

static void charge(struct gjkd_worker *worker, uint16_t client) {
    const int64_t now_ns = worker->read_ns != 0 ? worker->read_ns : gjkd_timing_thread_ns();
    gjkd_fair_queue_charge(&worker->executor->queue, client, now_ns - worker->cpu_ns);
    worker->cpu_ns = now_ns;
    worker->read_ns = 0;
}

/* Lets the thread of a paused task continue, in a slot that is taken for it. */
static void resume_paused(struct gjkd_task *task) {
    struct gjkd_worker *paused = task->paused;
    task->paused = NULL;
    uv_sem_post(&paused->resumed);
}

/* Returns a task for the calling thread, with a slot, or NULL. */
static struct gjkd_task *next_task(struct gjkd_executor *executor) {
    if (executor->handed.first != NULL) {
        struct gjkd_task *task = executor->handed.first;
        executor->handed.first = task->next;
        atomic_fetch_sub(&executor->handed_count, 1);
        executor->resting++; /* it was subtracted when the task was handed over */
        return task;
    }
    while (atomic_load(&executor->free) > 0) {
        struct gjkd_task *task = take_task(executor, true);
        if (task == NULL) {
            return NULL;
        }
        atomic_fetch_sub(&executor->free, 1);
        if (task->paused == NULL) {
            return task;
        }
        resume_paused(task);
    }
    return NULL;
}

/* --- Threads --- */

/* Lets the next writer of the task's line begin. The lock is held. */
static void begin_next_writer(struct gjkd_executor *executor, const struct gjkd_task *task) {
    if (task->writer != 0 && gjkd_fair_queue_next_writer(&executor->queue, task->writer)) {
        atomic_fetch_add_explicit(&executor->waiting, 1, memory_order_relaxed);
    }
}

/* Completes the accounting of a task that has run. The lock is held; the task may be freed already
 * unless is_again. */
static void settle_task(struct gjkd_worker *worker, const struct gjkd_task *ran, bool is_again) {
    struct gjkd_executor *executor = worker->executor;
    charge(worker, ran->client);
    gjkd_fair_queue_end(&executor->queue, ran->client);
    if (!worker->has_left_line) {
        begin_next_writer(executor, ran);
    }
    if (is_again && worker->task->is_short) {
        worker->task->is_short = false;
        enqueue(executor->pool, worker->task, false);
    } else if (is_again) {
        atomic_fetch_add_explicit(&executor->waiting, 1, memory_order_relaxed);
        worker->task->writer = 0; /* otherwise it would wait for itself */
        worker->task->is_counted = false;
        worker->task->paused = NULL;
        gjkd_fair_queue_put(&executor->queue, worker->task);
    }
    worker->task = NULL;
    worker->has_left_line = false;
    release_slot(executor, worker);
}

/* Removes a task that begins from the counts of queued tasks. */
static void uncount_queued(struct gjkd_pool *pool, const struct gjkd_task *task) {
    if (task->is_counted) {
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
        atomic_fetch_sub_explicit(&pool->queued_by[task->client], 1, memory_order_relaxed);
    }
}

static void run_task(struct gjkd_worker *worker, struct gjkd_task *task) {
    struct gjkd_executor *executor = worker->executor;
    const struct gjkd_task ran = *task; /* copied, because the task may be freed when it has run */
    worker->task = task;
    worker->turn_ns = uv_hrtime();
    uncount_queued(executor->pool, task);
    this_worker = worker;
    gjkd_task_result result = task->run(task);
    this_worker = NULL;
    if (result == GJKD_TASK_COMPLETE) {
        gjkd_completion_queue_put(ran.completions, task);
    }
    pthread_mutex_lock(&executor->lock);
    settle_task(worker, &ran, result == GJKD_TASK_REQUEUE);
}

static void work_on_tasks(void *closure) {
    struct gjkd_worker *worker = closure;
    struct gjkd_executor *executor = worker->executor;
    if (executor == &executor->pool->main) {
        gjkd_thread_priority_set_worker();
    } else if (executor->pool->short_tasks_block) {
        gjkd_thread_priority_set_writer();
    } else {
        gjkd_thread_priority_set_loop();
    }
    pthread_mutex_lock(&executor->lock);
    for (;;) {
        struct gjkd_task *task = next_task(executor);
        if (task != NULL) {
            const bool are_left = has_waiting(executor);
            pthread_mutex_unlock(&executor->lock);
            if (are_left) {
                wake_for_waiting(executor);
            }
            run_task(worker, task); /* returns with the lock held */
        } else if (executor->is_ending) {
            break;
        } else {
            executor->resting++;
            pthread_mutex_unlock(&executor->lock);
            rest(worker);
            pthread_mutex_lock(&executor->lock);
            executor->resting--;
        }
    }
    pthread_mutex_unlock(&executor->lock);
}

/* --- Pauses --- */

static void pause_turn(struct gjkd_worker *worker) {
    struct gjkd_executor *executor = worker->executor;
    pthread_mutex_lock(&executor->lock);
    struct gjkd_task *task = worker->task;
    charge(worker, task->client);
    task->paused = worker;
    gjkd_fair_queue_put(&executor->queue, task); /* may be the next task itself */
    atomic_fetch_add_explicit(&executor->waiting, 1, memory_order_relaxed);
    struct gjkd_task *next = take_task(executor, executor->resting > 0);
    if (next->paused == NULL) {
        /* Hands the new task and this thread's slot to a resting thread. */
        struct gjkd_task_list *handed = &executor->handed;
        next->next = NULL;
        *(handed->first == NULL ? &handed->first : &handed->last->next) = next;
        handed->last = next;
        atomic_fetch_add(&executor->handed_count, 1);
        executor->resting--;
        (void)wake_idle_worker(executor); /* or a thread that is about to rest takes the task */
    } else if (next != task) {
        resume_paused(next);
    }
    if (next == task) {
        task->paused = NULL;
    }
    pthread_mutex_unlock(&executor->lock);
    if (next != task) {
        uv_sem_wait(&worker->resumed);
    }
    worker->turn_ns = uv_hrtime();
}

void gjkd_pool_pause(uint64_t now_ns) {
    struct gjkd_worker *worker = this_worker;
    if (worker == NULL || worker->task->is_short ||
        now_ns <= worker->turn_ns + (uint64_t)GJKD_TURN_NS || worker->pauses_disabled != 0 ||
        worker->lacks_slot || !has_waiting(worker->executor)) {
        return;
    }
    /* Time spent waiting for a processor does not count. */
    const int64_t used_ns = gjkd_pool_read_time() - worker->cpu_ns;
    worker->turn_ns = now_ns - (uint64_t)used_ns;
    if (used_ns >= GJKD_TURN_NS) {
        pause_turn(worker);
    }
}

int64_t gjkd_pool_read_time(void) {
    const int64_t now_ns = gjkd_timing_thread_ns();
    if (this_worker != NULL) {
        this_worker->read_ns = now_ns;
    }
    return now_ns;
}

void gjkd_pool_disable_pauses(void) {
    if (this_worker != NULL) {
        this_worker->pauses_disabled++;
    }
}

void gjkd_pool_enable_pauses(void) {
    if (this_worker != NULL) {
        this_worker->pauses_disabled--;
    }
}

void gjkd_pool_enter_blocking(void) {
    struct gjkd_worker *worker = this_worker;
    if (worker == NULL || worker->lacks_slot) {
        return;
    }
    struct gjkd_executor *executor = worker->executor;
    pthread_mutex_lock(&executor->lock);
    release_slot(executor, worker);
    worker->lacks_slot = true;
    pthread_mutex_unlock(&executor->lock);
    if (has_waiting(executor)) {
        wake(executor);
    }
}

void gjkd_pool_leave_line(void) {
    struct gjkd_worker *worker = this_worker;
    if (worker == NULL || worker->has_left_line) {
        return;
    }
    struct gjkd_executor *executor = worker->executor;
    pthread_mutex_lock(&executor->lock);
    begin_next_writer(executor, worker->task);
    worker->has_left_line = true;
    pthread_mutex_unlock(&executor->lock);
    if (has_waiting(executor)) {
        wake(executor);
    }
}

/* --- The watch --- */

/* Lends a slot if no task has begun since `seen`. Returns false if no task waits. */
static bool lend_slot(struct gjkd_executor *executor, unsigned extra_max, uint64_t *seen) {
    pthread_mutex_lock(&executor->lock);
    drain_incoming(executor);
    bool is_wanted = has_waiting(executor) && !executor->is_ending;
    bool is_stalled = is_wanted && executor->turns == *seen && atomic_load(&executor->free) == 0 &&
                      executor->extra < extra_max && executor->resting > 0;
    if (is_stalled) {
        executor->extra++;
        atomic_fetch_add(&executor->free, 1);
    }
    *seen = executor->turns;
    pthread_mutex_unlock(&executor->lock);
    if (is_stalled) {
        wake(executor);
    }
    return is_wanted;
}

static void run_watcher(void *closure) {
    struct gjkd_pool *pool = closure;
    struct gjkd_executor *executor = &pool->main;
    for (;;) {
        uv_sem_wait(&pool->watch);
        uint64_t seen = UINT64_MAX;
        do {
            atomic_store(&pool->is_watched, true);
            while (lend_slot(executor, pool->extra_max, &seen)) {
                uv_sleep(STALL_MS);
            }
            atomic_store(&pool->is_watched, false);
            pthread_mutex_lock(&executor->lock);
            bool is_ending = executor->is_ending;
            pthread_mutex_unlock(&executor->lock);
            if (is_ending) {
                return;
            }
        } while (has_waiting(executor)); /* a task may have come just before `false` was stored */
    }
}

/* --- Life --- */

static void make_semaphore(uv_sem_t *semaphore) {
    if (uv_sem_init(semaphore, 0) != 0) {
        abort(); /* fails only on invalid arguments */
    }
}

/* Starts the threads. Returns false if memory is exhausted or a thread cannot be started. */
static bool start(struct gjkd_executor *executor, struct gjkd_pool *pool, unsigned slots,
                  unsigned spare) {
    executor->pool = pool;
    executor->slots = slots;
    atomic_init(&executor->free, slots);
    gjkd_mpsc_queue_init(&executor->incoming);
    pthread_mutex_init(&executor->lock, NULL);
    executor->threads = calloc(slots + spare, sizeof *executor->threads);
    while (executor->threads != NULL && executor->started < slots + spare) {
        struct gjkd_worker *worker = &executor->threads[executor->started];
        worker->executor = executor;
        make_semaphore(&worker->wake);
        make_semaphore(&worker->resumed);
        if (uv_thread_create(&worker->thread, work_on_tasks, worker) != 0) {
            break;
        }
        executor->started++;
    }
    return executor->started == slots + spare;
}

/* Ends the threads after they have run every task. */
static void stop(struct gjkd_executor *executor) {
    pthread_mutex_lock(&executor->lock);
    executor->is_ending = true;
    pthread_mutex_unlock(&executor->lock);
    for (unsigned i = 0; i < executor->started; i++) {
        uv_sem_post(&executor->threads[i].wake);
    }
    for (unsigned i = 0; i < executor->started; i++) {
        uv_thread_join(&executor->threads[i].thread);
        uv_sem_destroy(&executor->threads[i].wake);
        uv_sem_destroy(&executor->threads[i].resumed);
    }
    free(executor->threads);
    executor->threads = NULL;
}

bool gjkd_pool_init(struct gjkd_pool *pool, unsigned workers, unsigned queued_max,
                    bool short_tasks_block) {
    const unsigned spare = short_tasks_block ? GJKD_BLOCKING_THREADS : 0;
    memset(pool, 0, sizeof *pool);
    pool->workers = workers;
    pool->queued_max = queued_max;
    pool->extra_max = EXTRA_MAX;
    pool->short_tasks_block = short_tasks_block;
    make_semaphore(&pool->watch);
    bool fine = start(&pool->main, pool, workers, GJKD_SPARE_THREADS);
    fine = start(&pool->short_tasks, pool, GJKD_SHORT_THREADS, spare) && fine;
    pool->has_watcher = uv_thread_create(&pool->watcher, run_watcher, pool) == 0;
    fine = fine && pool->has_watcher;
    if (!fine) {
        gjkd_pool_fini(pool);
    }
    return fine;
}

void gjkd_pool_fini(struct gjkd_pool *pool) {
    if (pool->workers == 0) {
        return;
    }
    stop(&pool->short_tasks); /* first: its tasks may continue on the workers */
    stop(&pool->main);
    uv_sem_post(&pool->watch);
    if (pool->has_watcher) {
        uv_thread_join(&pool->watcher);
    }
    pthread_mutex_destroy(&pool->short_tasks.lock);
    pthread_mutex_destroy(&pool->main.lock);
    uv_sem_destroy(&pool->watch);
    pool->workers = 0;
}

/* --- Tasks --- */

/* Counts a task that will wait. Returns false if the queue has no room for it. */
static bool count_queued(struct gjkd_pool *pool, uint16_t client) {
    const unsigned all = atomic_fetch_add_explicit(&pool->queued, 1, memory_order_relaxed);
    const unsigned own =
        atomic_fetch_add_explicit(&pool->queued_by[client], 1, memory_order_relaxed);
    if (all < pool->queued_max || own < pool->queued_max / CLIENT_PART) {
        return true;
    }
    atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&pool->queued_by[client], 1, memory_order_relaxed);
    return false;
}

bool gjkd_pool_submit(struct gjkd_pool *pool, struct gjkd_task *task) {
    bool has_room = count_queued(pool, task->client);
    if (has_room) {
        enqueue(pool, task, true);
    }
    return has_room;
}

void gjkd_pool_resume(struct gjkd_pool *pool, struct gjkd_task *task) {
    enqueue(pool, task, false);
}

unsigned gjkd_pool_queued(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->queued, memory_order_relaxed);
}

bool gjkd_pool_has_waiting(struct gjkd_pool *pool) {
    return has_waiting(&pool->main);
}

bool gjkd_pool_has_idle_worker(struct gjkd_pool *pool) {
    return atomic_load_explicit(&pool->main.free, memory_order_relaxed) >
           atomic_load_explicit(&pool->main.waiting, memory_order_relaxed);
}
