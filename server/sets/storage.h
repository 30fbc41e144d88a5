#ifndef GJKD_SETS_STORAGE_H
#define GJKD_SETS_STORAGE_H

/*
 * Where sets are kept. A commit (commit.h) builds a version upon the newest one and hands it over;
 * the storage makes it the newest one or says why not. There are three implementations, which no
 * other code distinguishes:
 *
 *   memory    gjkd_memory_storage, below
 *   disk      store/store.h, --data-dir
 *   cluster   cluster/cluster.h, --cluster
 */

#include "sets/registry.h"
#include "work/task.h"

#include <stdatomic.h>

/* --- Changes --- */

/* Durability of a write at the time of its answer. */
typedef enum gjkd_durability {
    GJKD_NO_WRITE,   /* nothing has changed */
    GJKD_IN_MEMORY,  /* it is lost when the process ends */
    GJKD_ON_DISK,    /* it is on stable storage */
    GJKD_IN_QUORUM,  /* a majority of the servers that keep the cluster's log have it */
    GJKD_NOT_STORED, /* the store could not keep it, and nothing has changed */
} gjkd_durability;

/*
 * A change to a set: the versions before and after, which share everything that stayed the same.
 * Stores, event streams and logs compute the difference by gjk_set_diff. The writer provides the
 * storage, all zero; from submit until it is settled the change belongs to the store.
 */
struct gjkd_change {
    struct gjkd_change *next;         /* in the store's queue */
    struct gjkd_version *from, *to;   /* retained by the store; NULL: there is no set */
    const char *name;                 /* of the set; points into one of the versions */
    uint64_t order;                   /* position among the changes of its group */
    uint64_t submitted_ns;            /* by uv_hrtime */
    bool is_submitted;                /* a store has it and will settle it */
    gjkd_durability durability;       /* valid once the change is settled */
    struct gjkd_task *_Atomic waiter; /* NULL: none yet */
};

/* Gives the change back to its writer. Called by the store, after it has released from and to. */
void gjkd_change_settle(struct gjkd_change *change, gjkd_durability durability);

/*
 * Arranges that the task completes when the change is settled. Returns false if the change is
 * settled already or was not submitted: the caller still owns the task.
 */
bool gjkd_change_await(struct gjkd_change *change, struct gjkd_task *task) GJK_MUST_USE;

/* Blocks until the change is settled. Not for threads that serve requests. */
gjkd_durability gjkd_change_wait(struct gjkd_change *change);

/* --- The storage --- */

/* A version proposed as the successor of another, under the writer lock of the set's name. */
typedef struct gjkd_proposal {
    const char *name;
    struct gjkd_version *from;  /* the newest version; NULL: there is no set */
    struct gjkd_version *to;    /* not seen by another thread yet; NULL: the set is deleted; equal
                                   to `from`: nothing changes, and the write is answered once
                                   readers see that version */
    bool is_whole;              /* `to` shares nothing with `from` */
    const gjkd_stamp *stamp;    /* set if `to` is a tick; else NULL */
    bool is_checkpoint;         /* the set does not change: its shown state is written to the
                                   cluster's log */
    struct gjkd_change *change; /* receives the durability; NULL: not wanted, which storage on disk
                                   does not allow */
} gjkd_proposal;

typedef enum gjkd_verdict {
    GJKD_ACCEPTED, /* `to` is the newest version; the change has its durability, or is submitted */
    GJKD_CONFLICT, /* another write came first, and `newest` has its version now or soon: judge
                      again */
    GJKD_DECLINED, /* the problem is set. Nothing has changed, except that the outcome is open if a
                      deadline has passed */
} gjkd_verdict;

struct gjkd_storage {
    struct gjkd_registry *newest; /* the versions that writers build upon */
    struct gjkd_registry *shown;  /* the versions that readers see; may be the same */
    bool is_remote;               /* commits wait for other machines */
    /* Returns true if the storage accepts writes at all, or ticks; otherwise sets the problem.
     * Never blocks. NULL: always true. */
    bool (*has_room)(struct gjkd_storage *storage, bool is_tick, struct proto_problem *problem);
    /* Stores the version. May block if is_remote. */
    gjkd_verdict (*commit)(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                           gjk_budget *budget, struct proto_problem *problem);
    /*
     * Called before a write is refused because of the state of its set. GJKD_ACCEPTED: no write to
     * the set that was answered before this call is newer than `seen`, a gjkd_version_seq (0: there
     * was no set). GJKD_CONFLICT: one is, and `shown` has it now. if_match, or NULL, may name a
     * tick that this node has not seen yet. The callback is NULL if `newest` always has every
     * write.
     */
    gjkd_verdict (*confirm)(struct gjkd_storage *storage, const char *set, uint64_t seen,
                            const char *if_match, gjk_budget *budget,
                            struct proto_problem *problem);
};

/* Makes a storage in memory only, in which writers build upon the versions that readers see. */
struct gjkd_storage gjkd_memory_storage(struct gjkd_registry *sets);

/*
 * Commits for a storage that stores versions later: makes the version the newest one and submits
 * the change, with its versions retained for the store. A tick is never promised to be durable and
 * is shown at once, unless it follows a change that is not stored yet or raises revision_bound,
 * which the store must know.
 */
gjkd_verdict gjkd_storage_queue(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                void (*submit)(struct gjkd_storage *storage,
                                               struct gjkd_change *change),
                                struct proto_problem *problem);

/* Sets the problem for a version that the registry has refused. Returns false. */
bool gjkd_storage_refuse(const struct gjkd_registry *registry, gjkd_put_status status,
                         struct proto_problem *problem);

/* Sets the durability of a change that is settled at once; NULL is allowed. */
static inline void gjkd_change_note(struct gjkd_change *change, gjkd_durability durability) {
    if (change != NULL) {
        change->durability = durability;
    }
}

#endif
