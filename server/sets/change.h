#ifndef GJKD_SETS_CHANGE_H
#define GJKD_SETS_CHANGE_H

/*
 * The record of a change to a set: the versions before and after it, which share all that stayed.
 * Stores, event streams and logs find the difference by gjk_set_diff.
 */

#include "sets/registry.h"
#include "work/task.h"

#include <stdatomic.h>

/* Durability of a write when it is answered. */
typedef enum gjkd_durability {
    GJKD_NO_WRITE,   /* nothing was changed */
    GJKD_IN_MEMORY,  /* it is lost when the process ends */
    GJKD_ON_DISK,    /* it is on stable storage */
    GJKD_IN_QUORUM,  /* most servers that keep the log of the cluster have it */
    GJKD_NOT_STORED, /* the store could not keep it, and nothing has changed */
} gjkd_durability;

/* The writer's storage, all zero; from submit on the store's until it is settled. */
struct gjkd_change {
    struct gjkd_change *next;         /* in the store's queue */
    struct gjkd_version *from, *to;   /* retained by the store; NULL: there is no set */
    const char *name;                 /* of the set, in one of them */
    uint64_t order;                   /* among the changes of its group */
    uint64_t submitted_ns;            /* of uv_hrtime */
    bool is_submitted;                /* to a store, which settles it */
    gjkd_durability durability;       /* once it is settled */
    struct gjkd_task *_Atomic waiter; /* NULL: nobody yet */
};

/* Gives the change back to its writer. For the store, which has released from and to. */
void gjkd_change_settle(struct gjkd_change *change, gjkd_durability durability);

/*
 * Completes the task when the change is settled. Returns false if it is settled already or no store
 * has it: the task is still the caller's.
 */
bool gjkd_change_await(struct gjkd_change *change, struct gjkd_task *task) GJK_MUST_USE;

/* Blocks until the change is settled. For threads that serve nobody. */
gjkd_durability gjkd_change_wait(struct gjkd_change *change);

#endif
