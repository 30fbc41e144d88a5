#ifndef GJKD_CREW_H
#define GJKD_CREW_H

/*
 * The workers of one job: one that runs it and, where its handler leaves parts, others that
 * help. Between two parts each steps aside for whoever waits for a worker, so that a request of
 * a thousand queries holds up a small one for one part only.
 */

#include "job.h"

/* Workers that do one job at one time. */
#define GJKD_CREW_MAX 8

struct gjkd_crew;

struct gjkd_runner {
    struct gjkd_task task; /* first: tasks are cast back */
    struct gjkd_crew *crew;
    bool is_out;
};

struct gjkd_crew {
    struct gjkd_job *job;
    uv_loop_t *uv;
    void (*done)(struct gjkd_crew *crew); /* on the loop, once: the job has its reply */
    bool is_begun;
    unsigned out; /* runners at workers; the loop's alone */
    struct gjkd_runner runners[GJKD_CREW_MAX];
};

/* On the loop's thread; job, uv and done are set. False: the queue is full, nothing is begun. */
bool gjkd_crew_start(struct gjkd_crew *crew);

#endif
