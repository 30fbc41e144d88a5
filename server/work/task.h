#ifndef GJKD_WORK_TASK_H
#define GJKD_WORK_TASK_H

/* A unit of work that a loop submits to the worker pool. It returns by a completion queue. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct gjkd_completion_queue;
struct gjkd_worker;

/* Number of clients that queues distinguish, by hash. With thousands, an honest client seldom
 * shares its time slices with one that keeps all workers busy. */
#define GJKD_QUEUE_CLIENTS 4096

static inline uint16_t gjkd_task_client(uint64_t client_hash) {
    return (uint16_t)(client_hash % GJKD_QUEUE_CLIENTS);
}

/* Result of running a task. */
typedef enum gjkd_task_result {
    GJKD_TASK_COMPLETE, /* goes to its completion queue */
    GJKD_TASK_REQUEUE,  /* runs again, behind the waiting tasks. A short task becomes a long one. A
                           task of a worker has written: the next writer of its line begins */
    GJKD_TASK_DETACHED, /* the pool does not touch it again, because it may be freed already */
} gjkd_task_result;

/* In the caller's storage, until done is called or run returns GJKD_TASK_DETACHED. */
struct gjkd_task {
    struct gjkd_task *next;                    /* next task in the same queue */
    struct gjkd_completion_queue *completions; /* of the submitting loop */
    uint16_t client;                           /* gjkd_task_client of its client */
    uint16_t writer;                           /* line of writers, from the set's hash: one task of
                                                  a line runs at a time; 0: none */
    bool is_short;                             /* runs on the threads for short tasks */
    bool is_counted;                           /* counts against the bound of the pool's queue */
    uint64_t order;                            /* position in the fair queue */
    struct gjkd_worker *paused;                /* thread that continues it; NULL: not begun */
    gjkd_task_result (*run)(struct gjkd_task *task); /* called on a worker */
    void (*done)(struct gjkd_task *task);            /* called on the loop's thread */
};

/*
 * A lock-free queue with many producers and one consumer. A producer that is preempted within a
 * call blocks no other thread.
 */

struct gjkd_mpsc_queue {
    struct gjkd_task *_Atomic newest; /* the newest task; `next` leads to older ones */
};

void gjkd_mpsc_queue_init(struct gjkd_mpsc_queue *queue);

/* Adds a task, from any thread. Returns true if the caller has to wake the consumer, because the
 * queue was empty. */
bool gjkd_mpsc_queue_put(struct gjkd_mpsc_queue *queue, struct gjkd_task *task);

/* Takes all tasks, oldest first, linked by `next`, or NULL. By one thread at a time. */
struct gjkd_task *gjkd_mpsc_queue_take(struct gjkd_mpsc_queue *queue);

/* A completion queue: completed tasks on their way from workers to the loop that submitted them. */

struct gjkd_completion_queue {
    struct gjkd_mpsc_queue tasks;
    uv_poll_t poll;
    int fd; /* readable while there are tasks */
};

/* Initialises the queue, on the loop's thread or before the loop runs. Returns false if file
 * descriptors are exhausted. */
bool gjkd_completion_queue_init(struct gjkd_completion_queue *completions, uv_loop_t *uv);

/* Makes the loop call task->done. From any thread, which must not touch the task afterwards. */
void gjkd_completion_queue_put(struct gjkd_completion_queue *completions, struct gjkd_task *task);

/* Closes the handle, so that the loop can end. On its thread, after all tasks are done. */
void gjkd_completion_queue_close(struct gjkd_completion_queue *completions);

/* Frees the queue, after close and after the end of the workers, which use it until then. */
void gjkd_completion_queue_fini(struct gjkd_completion_queue *completions);

#endif
