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

#include "sets/change.h"

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
