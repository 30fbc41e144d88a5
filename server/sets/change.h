#ifndef GJKD_SETS_CHANGE_H
#define GJKD_SETS_CHANGE_H

/*
 * The record of a change to a set: the versions before and after it, which share all that stayed.
 * What differs between them is found by gjk_set_diff, by whoever needs it: a store, a stream of
 * events, a log of replicas.
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

/* A change whose place in a log that several nodes write is not known yet. */
typedef struct gjkd_proposal {
    const char *name;
    struct gjkd_version *from, *to; /* NULL: there is no set; `to` has been seen by nobody */
    bool is_whole;                  /* `to` shares nothing with `from` */
    const gjkd_stamp *stamp;        /* NULL: it is no tick */
    bool is_checkpoint;             /* nothing changes: the log is to have what is shown */
} gjkd_proposal;

typedef enum gjkd_verdict {
    GJKD_KEPT,    /* it is in the log and shown, `to` with its revision */
    GJKD_TOLD,    /* a tick that only moves shapes: it is shown here, and the others are told */
    GJKD_OUTRUN,  /* another write came before it: nothing has changed, but the set */
    GJKD_AWAY,    /* the log cannot be written, and nothing has changed */
    GJKD_LATE,    /* the budget is spent, and nothing has changed */
    GJKD_UNCLEAR, /* the same, but it may be in the log, or come there yet */
} gjkd_verdict;

struct gjkd_store;

/* A log that several nodes write. All may block, so they are for workers only. */
struct gjkd_log {
    /* Keeps the change if `from` is still what is there. */
    gjkd_verdict (*propose)(struct gjkd_store *store, const gjkd_proposal *proposal,
                            gjk_budget *budget);
    /* KEPT: nothing that was written to the set before the call came after what was seen, the
     * moment of a version (version.h; 0: there was none). OUTRUN: it did, and is shown now. Else it
     * is not known. if_match, or NULL: a tick of the set that it names was made. */
    gjkd_verdict (*confirm)(struct gjkd_store *store, const char *set, uint64_t seen,
                            const char *if_match, gjk_budget *budget);
};

/*
 * Where changes are kept. A change is settled, on any thread, when the store has it or has given it
 * up; only then do readers see it, in the registry `shown`. Writers build upon each other without
 * waiting for that, in a registry of their own (gjkd_write.registry): of changes to a set that are
 * given up, those that came after them are too.
 */
struct gjkd_store {
    struct gjkd_registry *shown;
    /* Takes the change of a set's newest version, under the writer lock of its name. */
    void (*submit)(struct gjkd_store *store, struct gjkd_change *change);
    /* Returns true if the store may take another change: false where too many wait. */
    bool (*has_room)(struct gjkd_store *store);
    const struct gjkd_log *log; /* takes changes in place of submit; NULL: no log */
};

/* For the store, which has released from and to: the change is the writer's again. */
void gjkd_change_settle(struct gjkd_change *change, gjkd_durability durability);

/*
 * Has the task put into its completion queue when the change is settled. False: it is settled
 * already, or no store has it, and the task is still the caller's.
 */
bool gjkd_change_await(struct gjkd_change *change, struct gjkd_task *task) GJK_MUST_USE;

/* Blocks until the change is settled. For threads that serve nobody. */
gjkd_durability gjkd_change_wait(struct gjkd_change *change);

#endif
