#ifndef GJKD_WORK_FAIR_QUEUE_H
#define GJKD_WORK_FAIR_QUEUE_H

/*
 * Tasks that wait for a worker, or streams for their loop, in an order that is fair between
 * clients: each gets the same processor time, however many tasks it has and however long they are.
 * Clients are told apart by a hash, so that any number of them takes the same memory; two with one
 * hash share one share.
 *
 * Writers of one set wait in a line of their own, beside the clients, so that one of them is begun
 * at a time. Not thread-safe.
 */

#include "work/task.h"

#include <stdint.h>

#define GJKD_QUEUE_WRITERS 256

/* The longest time that a task runs while others wait, where it can pause; and what a turn is taken
 * to cost until it is over. */
#define GJKD_TURN_NS INT64_C(1000000)

struct gjkd_task_list {
    struct gjkd_task *first, *last;
};

/* The tasks of one client. */
struct gjkd_client_queue {
    struct gjkd_task_list fresh;  /* not begun */
    struct gjkd_task_list paused; /* begun, each with a thread that waits */
    int64_t start_ns;             /* virtual time at which its next turn starts */
    unsigned begun;               /* tasks that have a thread, running or paused */
    bool is_active;               /* among the active ones */
};

struct gjkd_fair_queue {
    int64_t virtual_ns; /* start of the turn that was given last */
    uint64_t order;     /* of the newest task */
    unsigned active_count;
    uint16_t active[GJKD_QUEUE_CLIENTS]; /* that have tasks, in the order in which they came */
    struct gjkd_client_queue clients[GJKD_QUEUE_CLIENTS];
    struct {
        bool is_busy;
        struct gjkd_task_list waiting;
    } writers[GJKD_QUEUE_WRITERS];
};

/* All zero is an empty queue. A task that is paused, or whose turn is over, goes to the end of its
 * client's line. O(1). */
void gjkd_fair_queue_put(struct gjkd_fair_queue *queue, struct gjkd_task *task);

/*
 * Takes the task whose turn it is; NULL: there is none. A client that has begun more than
 * `begun_max` tasks may only go on with these; -1: all may only do that. *lined_up counts the tasks
 * that went to their writers' line instead. O(active clients).
 */
struct gjkd_task *gjkd_fair_queue_take(struct gjkd_fair_queue *queue, int begun_max,
                                       unsigned *lined_up);

/* A turn has ended that took so much processor time. */
void gjkd_fair_queue_charge(struct gjkd_fair_queue *queue, uint16_t client, int64_t used_ns);

/* A task that was taken has no thread any more: it is complete, or will begin its next turn
 * again. */
void gjkd_fair_queue_end(struct gjkd_fair_queue *queue, uint16_t client);

/* A writer is done: puts the next one of its line into the queue. False: there is none. */
bool gjkd_fair_queue_next_writer(struct gjkd_fair_queue *queue, uint16_t writer);

#endif
