#ifndef GJKD_WORK_TASK_GROUP_H
#define GJKD_WORK_TASK_GROUP_H

/*
 * The workers of one job: one that runs it and, where its handler leaves parts, others that
 * help. Between two parts each steps aside for whoever waits for a worker, so that a request of
 * a thousand queries holds up a small one for one part only. The loop hears of it once, when all
 * is done.
 */

#include "request/request.h"

/* Workers that do one job at one time. */
#define GJKD_TASK_GROUP_MAX 8

struct gjkd_task_group;

struct gjkd_runner {
    struct gjkd_task task; /* first: tasks are cast back */
    struct gjkd_task_group *group;
};

struct gjkd_task_group {
    struct gjkd_request *request;
    struct gjkd_completion_queue *completions;
    void (*done)(struct gjkd_task_group *group); /* on the loop, once: the job has its reply */
    bool is_begun;
    atomic_uint sent; /* runners so far */
    atomic_uint out;  /* of them at workers, or on their way there */
    struct gjkd_runner runners[GJKD_TASK_GROUP_MAX];
};

/* On the loop's thread; request, completions and done are set. False: the queue is full, nothing is
 * begun. */
bool gjkd_task_group_start(struct gjkd_task_group *group);

#endif
