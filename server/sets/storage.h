#ifndef GJKD_SETS_STORAGE_H
#define GJKD_SETS_STORAGE_H

/*
 * The place where sets are kept. A commit (commit.h) builds a version upon the newest one and hands
 * it over; the storage makes it the newest one or says why not. There are three implementations,
 * and nothing else knows that there are three:
 *
 *   memory    gjkd_memory_storage, below
 *   disk      store/store.h, --data-dir
 *   cluster   cluster/cluster.h, --cluster
 */

#include "sets/registry.h"
#include "work/task.h"

#include <stdatomic.h>

/* --- Changes --- */

/* Durability of a write when it is answered. */
typedef enum gjkd_durability {
    GJKD_NO_WRITE,   /* nothing was changed */
    GJKD_IN_MEMORY,  /* it is lost when the process ends */
    GJKD_ON_DISK,    /* it is on stable storage */
    GJKD_IN_QUORUM,  /* most servers that keep the log of the cluster have it */
    GJKD_NOT_STORED, /* the store could not keep it, and nothing has changed */
} gjkd_durability;

/*
 * The record of a change to a set: the versions before and after it, which share all that stayed.
 * Stores, event streams and logs find the difference by gjk_set_diff. The writer's storage, all
 * zero; from submit on the store's until it is settled.
 */
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

/* --- The storage --- */

/* A version that is to follow another one, under the writer lock of the set's name. */
typedef struct gjkd_proposal {
    const char *name;
    struct gjkd_version *from;  /* the newest one; NULL: there is no set */
    struct gjkd_version *to;    /* seen by nobody yet; NULL: the set is deleted; `from`: nothing
                                   changes, and the write is answered when readers see it */
    bool is_whole;              /* `to` shares nothing with `from` */
    const gjkd_stamp *stamp;    /* of the tick that `to` is; NULL: it is none */
    bool is_checkpoint;         /* nothing changes: the log of a cluster is to have what is shown */
    struct gjkd_change *change; /* of the write; NULL: nobody asks for its durability, which only
                                   disks need */
} gjkd_proposal;

typedef enum gjkd_verdict {
    GJKD_ACCEPTED, /* `to` is the newest version; the change has its durability, or is submitted */
    GJKD_CONFLICT, /* another write came first, and `newest` has it or is about to: judge again */
    GJKD_DECLINED, /* the problem says why. Nothing has changed, unless it is a deadline that has
                      passed while the outcome is open */
} gjkd_verdict;

struct gjkd_storage {
    struct gjkd_registry *newest; /* the versions that writers build upon */
    struct gjkd_registry *shown;  /* the versions that readers see; may be the same */
    bool is_remote;               /* a commit waits for other machines */
    /* Returns true if the storage takes writes at all, or ticks; false: the problem says why not.
     * Never blocks. NULL: always true. */
    bool (*has_room)(struct gjkd_storage *storage, bool is_tick, struct proto_problem *problem);
    /* Keeps the version. May block where is_remote. */
    gjkd_verdict (*commit)(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                           gjk_budget *budget, struct proto_problem *problem);
    /*
     * Asked before a write is refused for the state of its set. ACCEPTED: no write to the set that
     * was answered before the call came after `seen`, a gjkd_version_seq (0: there was no set).
     * CONFLICT: one did, and is shown now. if_match, or NULL: may name a tick that
     * this node has not seen yet. NULL: `newest` has every write.
     */
    gjkd_verdict (*confirm)(struct gjkd_storage *storage, const char *set, uint64_t seen,
                            const char *if_match, gjk_budget *budget,
                            struct proto_problem *problem);
};

/* Sets in memory alone: writers build upon what readers see. */
struct gjkd_storage gjkd_memory_storage(struct gjkd_registry *sets);

/*
 * The commit of a storage that keeps versions later: makes the version the newest one and submits
 * the change, which has its versions then, each with a reference of its own. A tick, which nobody
 * promises to keep, is shown at once, unless it follows a change that is not stored yet or takes a
 * revision that the storage does not know of.
 */
gjkd_verdict gjkd_storage_queue(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                void (*submit)(struct gjkd_storage *storage,
                                               struct gjkd_change *change),
                                struct proto_problem *problem);

/* Sets the problem of a version that the registry has no room for. Returns false. */
bool gjkd_storage_refuse(const struct gjkd_registry *registry, gjkd_put_status status,
                         struct proto_problem *problem);

/* Notes the durability of a change that is settled at once; NULL is allowed. */
static inline void gjkd_change_note(struct gjkd_change *change, gjkd_durability durability) {
    if (change != NULL) {
        change->durability = durability;
    }
}

#endif
