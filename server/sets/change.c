/*
 * Writer and store meet at an atomic pointer: the first to come leaves a task or a mark, the second
 * finds it. The thread that settles a change does not touch it after that.
 */

#include "sets/change.h"

#include "work/task.h"

#include <pthread.h>

static struct gjkd_task settled, blocked; /* marks */

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
