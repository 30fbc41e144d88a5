#ifndef GJKD_WORK_TASK_H
#define GJKD_WORK_TASK_H

/* A unit of work that a loop hands to the worker pool and gets back by its completion queue. */

#include <stdbool.h>
#include <stdint.h>

struct gjkd_completion_queue;
struct gjkd_worker;

/* Fate of a task that has run. */
typedef enum gjkd_task_result {
    GJKD_TASK_COMPLETE, /* goes to its completion queue */
    GJKD_TASK_REQUEUE,  /* runs once more, behind the tasks that wait; it is short no longer */
    GJKD_TASK_DETACHED, /* the pool does not touch it again: it may be freed already */
} gjkd_task_result;

/* The caller's storage, which lives until done is called or run returns GJKD_TASK_DETACHED. */
struct gjkd_task {
    struct gjkd_task *next;                    /* in the queue that holds it */
    struct gjkd_completion_queue *completions; /* of the loop that submits */
    uint8_t client;                            /* hash of the one that it is done for */
    uint16_t writer;                           /* 0, or one of the set's hash: one of these runs
                                                        at a time */
    bool is_short;                             /* for the threads of short_tasks.h */
    bool is_counted;                           /* against the bound of the pool's queue */
    uint64_t order;                            /* in the fair queue */
    struct gjkd_worker *paused;                /* that goes on with it; NULL: it is to begin */
    gjkd_task_result (*run)(struct gjkd_task *task); /* on a worker */
    void (*done)(struct gjkd_task *task);            /* on the loop's thread */
};

#endif
