#ifndef GJKD_WORK_FAIR_QUEUE_H
#define GJKD_WORK_FAIR_QUEUE_H

/*
 * A fair queue of tasks that wait for a worker, or of streams that wait for their loop: each client
 * gets the same processor time, however many tasks it has and however long they are. Clients are
 * told apart by a hash, so that memory does not grow with their number; two clients with the same
 * hash have one share together.
 *
 * Writers of one set wait in a separate line, so that only one of them runs at a time. Not
 * thread-safe.
 */

#include "work/task.h"

#include <stdint.h>

#define GJKD_QUEUE_WRITERS 256

/* Length of a time slice: a task that can pause runs no longer while others wait. Also the
 * provisional charge for a running time slice. */
#define GJKD_TURN_NS INT64_C(1000000)

struct gjkd_task_list {
    struct gjkd_task *first, *last;
};

/* The tasks of one client. */
struct gjkd_client_queue {
    struct gjkd_task_list fresh;  /* not begun yet */
    struct gjkd_task_list paused; /* begun; each holds a thread, which waits */
    int64_t start_ns;             /* virtual start time of its next time slice */
    unsigned begun;               /* number of tasks that hold a thread, running or paused */
    bool is_active;               /* listed in `active` */
};

struct gjkd_fair_queue {
    int64_t virtual_ns; /* virtual time: start of the latest time slice */
    uint64_t order;     /* number of the newest task */
    unsigned active_count;
    uint16_t active[GJKD_QUEUE_CLIENTS]; /* clients that have tasks, in order of arrival */
    struct gjkd_client_queue clients[GJKD_QUEUE_CLIENTS];
    struct {
        bool is_busy;
        struct gjkd_task_list waiting;
    } writers[GJKD_QUEUE_WRITERS];
};

/* Appends a task, be it new, paused or preempted, to its client's queue. A queue that is all zero
 * is empty. O(1). */
void gjkd_fair_queue_put(struct gjkd_fair_queue *queue, struct gjkd_task *task);

/*
 * Takes the task whose turn it is, or returns NULL. A client with more than begun_max begun tasks
 * may only continue these; -1: no client may begin a task. Adds to *lined_up the number of tasks
 * that moved to their writers' line instead. O(active clients).
 */
struct gjkd_task *gjkd_fair_queue_take(struct gjkd_fair_queue *queue, int begun_max,
                                       unsigned *lined_up);

/* Charges a time slice that has ended with the processor time that it took. */
void gjkd_fair_queue_charge(struct gjkd_fair_queue *queue, uint16_t client, int64_t used_ns);

/* Notes that a taken task has released its thread: it is complete, or will start over. */
void gjkd_fair_queue_end(struct gjkd_fair_queue *queue, uint16_t client);

/* Ends a writer's turn and queues the next writer of its line. Returns false if there is none. */
bool gjkd_fair_queue_next_writer(struct gjkd_fair_queue *queue, uint16_t writer);

#endif
