#ifndef GJKD_WORK_TASK_GROUP_H
#define GJKD_WORK_TASK_GROUP_H

/*
 * The workers of one job: one that begins it and, where this leaves chunks to be done, others
 * that help. Between two chunks each steps aside for whoever waits for a worker, so that a request
 * of a thousand queries holds up a small one for one chunk only. The loop is told once, when all is
 * done.
 */

#include "work/chunks.h"
#include "work/pool.h"

/* Workers that do one job at one time. */
#define GJKD_TASK_GROUP_MAX 8

struct gjkd_task_group;

struct gjkd_runner {
    struct gjkd_task task; /* first: tasks are cast back */
    struct gjkd_task_group *group;
};

struct gjkd_task_group {
    struct gjkd_pool *pool;
    struct gjkd_completion_queue *completions; /* of the loop that starts the group */
    struct gjkd_chunks *chunks; /* rows is 0, or becomes what `begin` leaves to be done */
    uint8_t client;             /* as in gjkd_task */
    uint16_t writer;
    const char *name;         /* noted for the case of a crash; stays */
    void *job;                /* what the callbacks are given */
    void (*begin)(void *job); /* once, before any chunk, on a worker */
    /* NULL, or called in the place of `begin` where the job is expected to take less than GJKD_SHORT_NS. It
     * gives up when it has taken longer and returns false; then `begin` starts the job anew. */
    bool (*try)(void *job);
    /* Called once on a worker, when all chunks are done. True: the group then tells the loop by itself.
     * False: whoever goes on with the job puts the task into the completion queue later. */
    bool (*end)(void *job, struct gjkd_task *task);
    void (*done)(struct gjkd_task_group *group); /* once, after that, on the loop */
    bool is_begun;
    atomic_ulong used_ns; /* processor time so far */
    atomic_uint sent;     /* runners so far */
    atomic_uint out;      /* of them at workers, or on their way there */
    struct gjkd_runner runners[GJKD_TASK_GROUP_MAX];
};

/* On the loop's thread; all up to done is set. False: the queue is full, nothing is begun. */
bool gjkd_task_group_start(struct gjkd_task_group *group);

#endif
