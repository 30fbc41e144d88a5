#ifndef GJKD_WORK_TASK_H
#define GJKD_WORK_TASK_H

/* A unit of work that a loop hands to the worker pool and gets back by its completion queue. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct gjkd_completion_queue;
struct gjkd_worker;

/* Number of clients that queues tell apart, by their hash. With thousands, an honest client seldom
 * shares its turns with one that keeps all workers busy. */
#define GJKD_QUEUE_CLIENTS 4096

static inline uint16_t gjkd_task_client(uint64_t client_hash) {
    return (uint16_t)(client_hash % GJKD_QUEUE_CLIENTS);
}

/* Fate of a task that has run. */
typedef enum gjkd_task_result {
    GJKD_TASK_COMPLETE, /* goes to its completion queue */
    GJKD_TASK_REQUEUE,  /* runs once more, behind the tasks that wait; it is short no longer, and of
                         * a worker's it has written: the next writer of its line begins */
    GJKD_TASK_DETACHED, /* the pool does not touch it again: it may be freed already */
} gjkd_task_result;

/* The caller's storage, which lives until done is called or run returns GJKD_TASK_DETACHED. */
struct gjkd_task {
    struct gjkd_task *next;                    /* in the queue that holds it */
    struct gjkd_completion_queue *completions; /* of the loop that submits */
    uint16_t client;                           /* gjkd_task_client of the one that it is done for */
    uint16_t writer;                           /* 0, or one of the set's hash: one of these runs
                                                        at a time */
    bool is_short;                             /* for the threads of short tasks */
    bool is_counted;                           /* against the bound of the pool's queue */
    uint64_t order;                            /* in the fair queue */
    struct gjkd_worker *paused;                /* that goes on with it; NULL: it is to begin */
    gjkd_task_result (*run)(struct gjkd_task *task); /* on a worker */
    void (*done)(struct gjkd_task *task);            /* on the loop's thread */
};

/*
 * A lock-free queue of tasks with many producers and a single consumer: a producer that is
 * preempted in the middle of a call blocks nobody.
 */

struct gjkd_mpsc_queue {
    struct gjkd_task *_Atomic newest; /* linked by `next` to the oldest */
};

void gjkd_mpsc_queue_init(struct gjkd_mpsc_queue *queue);

/* Adds a task, from any thread. Returns true if the queue was empty before: the caller has to wake
 * the consumer. */
bool gjkd_mpsc_queue_put(struct gjkd_mpsc_queue *queue, struct gjkd_task *task);

/* Takes every task, the oldest first, linked by `next`; NULL: the queue is empty. By one thread
 * at a time. */
struct gjkd_task *gjkd_mpsc_queue_take(struct gjkd_mpsc_queue *queue);

/* Completed tasks on their way from the workers to the loop that submitted them. */

struct gjkd_completion_queue {
    struct gjkd_mpsc_queue tasks;
    uv_poll_t poll;
    int fd; /* readable when there are tasks */
};

/* Initialises the queue, on the loop's thread or before it runs. Returns false if no file
 * descriptor is left. */
bool gjkd_completion_queue_init(struct gjkd_completion_queue *completions, uv_loop_t *uv);

/* Has the loop call task->done. From any thread; only the loop may touch the task after this. */
void gjkd_completion_queue_put(struct gjkd_completion_queue *completions, struct gjkd_task *task);

/* Closes the handle, so that the loop can end. On the loop's thread, when no submitted task is
 * left. */
void gjkd_completion_queue_close(struct gjkd_completion_queue *completions);

/* Frees the queue, after close and after the workers have ended: one of them may still be in
 * put. */
void gjkd_completion_queue_fini(struct gjkd_completion_queue *completions);

#endif
