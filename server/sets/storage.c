/* Storage in memory, where the registry is the whole state, and what all storages share. */

#include "sets/storage.h"

#include "sets/version.h"

#include <pthread.h>

bool gjkd_storage_refuse(const struct gjkd_registry *registry, gjkd_put_status status,
                         struct proto_problem *problem) {
    if (status == GJKD_PUT_FULL) {
        proto_problem_set(problem, PROTO_TOO_MANY, "there are as many sets as there may be");
        return proto_problem_limit(problem, gjkd_registry_sets_max(registry));
    }
    return proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                             "all sets together would need more memory than --max-memory allows");
}

/* Makes the proposal's version the newest one. Returns false if the registry has no room for it. */
static bool put_newest(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                       struct proto_problem *problem) {
    if (proposal->to == proposal->from) {
        return true;
    }
    if (proposal->to == NULL) {
        gjkd_registry_set(storage->newest, proposal->name, NULL);
        return true;
    }
    const gjkd_put_status status = gjkd_registry_put(storage->newest, proposal->to);
    return status == GJKD_PUT_OK || gjkd_storage_refuse(storage->newest, status, problem);
}

static gjkd_verdict commit_to_memory(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                     gjk_budget *budget, struct proto_problem *problem) {
    (void)budget;
    if (!put_newest(storage, proposal, problem)) {
        return GJKD_DECLINED;
    }
    if (proposal->to != proposal->from) {
        gjkd_delta_publish(proposal->from, proposal->to);
    }
    gjkd_change_note(proposal->change, GJKD_IN_MEMORY);
    return GJKD_ACCEPTED;
}

/* Returns true if readers see this version: no earlier change still waits for the storage. */
static bool is_shown(const struct gjkd_storage *storage, const struct gjkd_version *version) {
    struct gjkd_version *shown = gjkd_registry_get(storage->shown, version->name);
    gjkd_version_release(shown);
    return shown == version;
}

gjkd_verdict gjkd_storage_queue(struct gjkd_storage *storage, const gjkd_proposal *proposal,
                                void (*submit)(struct gjkd_storage *storage,
                                               struct gjkd_change *change),
                                struct proto_problem *problem) {
    struct gjkd_version *from = proposal->from, *to = proposal->to;
    struct gjkd_change *change = proposal->change;
    if (!put_newest(storage, proposal, problem)) {
        return GJKD_DECLINED;
    }
    const bool is_tick = proposal->stamp != NULL && from->revision_bound == to->revision_bound;
    if ((to == from || is_tick) && is_shown(storage, from)) {
        if (to != from) {
            gjkd_registry_set(storage->shown, to->name, to);
            gjkd_delta_publish(from, to);
        }
        gjkd_change_note(change, GJKD_IN_MEMORY);
        return GJKD_ACCEPTED;
    }
    change->from = from != NULL ? gjkd_version_retain(from) : NULL;
    change->to = to != NULL ? gjkd_version_retain(to) : NULL;
    change->name = (to != NULL ? to : from)->name;
    change->is_submitted = true;
    submit(storage, change);
    return GJKD_ACCEPTED;
}

struct gjkd_storage gjkd_memory_storage(struct gjkd_registry *sets) {
    return (struct gjkd_storage){.newest = sets, .shown = sets, .commit = commit_to_memory};
}

/* --- Changes --- */

/*
 * Writer and store meet at an atomic pointer: the first stores a task or a mark, the second finds
 * it. The thread that settles a change does not touch the change afterwards.
 */

static struct gjkd_task settled, blocked; /* marks in `waiter`: the change is settled; a thread
                                             blocks in gjkd_change_wait */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unblocked = PTHREAD_COND_INITIALIZER;

void gjkd_change_settle(struct gjkd_change *change, gjkd_durability durability) {
    change->durability = durability;
    struct gjkd_task *waiter = atomic_exchange(&change->waiter, &settled);
    if (waiter == &blocked) {
        pthread_mutex_lock(&lock);
        pthread_cond_broadcast(&unblocked);
        pthread_mutex_unlock(&lock);
    } else if (waiter != NULL) {
        gjkd_completion_queue_put(waiter->completions, waiter);
    }
}

bool gjkd_change_await(struct gjkd_change *change, struct gjkd_task *task) {
    struct gjkd_task *nobody = NULL;
    return change->is_submitted && atomic_compare_exchange_strong(&change->waiter, &nobody, task);
}

gjkd_durability gjkd_change_wait(struct gjkd_change *change) {
    if (gjkd_change_await(change, &blocked)) {
        pthread_mutex_lock(&lock);
        while (atomic_load(&change->waiter) != &settled) {
            pthread_cond_wait(&unblocked, &lock);
        }
        pthread_mutex_unlock(&lock);
    }
    return change->durability;
}
