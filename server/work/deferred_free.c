/*
 * A thread-local pool marks the threads of loops; on these a large object becomes a task for a
 * worker, which is never refused and which nobody waits for.
 */

#include "work/deferred_free.h"

#include <stdlib.h>

struct deferred {
    struct gjkd_task task; /* first: a task is cast to its deferred object */
    void *object;
    void (*release)(void *object);
};

static _Thread_local struct gjkd_pool *loop_pool; /* NULL: not a thread of a loop */

void gjkd_deferred_free_begin(struct gjkd_pool *pool) {
    loop_pool = pool;
}

void gjkd_deferred_free_end(void) {
    loop_pool = NULL;
}

static gjkd_task_result on_work(struct gjkd_task *task) {
    const struct deferred *deferred = (struct deferred *)(void *)task;
    deferred->release(deferred->object);
    free(task);
    return GJKD_TASK_DETACHED;
}

void gjkd_deferred_free(void *object, uint64_t bytes, void (*release)(void *object)) {
    bool is_freed_here = loop_pool == NULL || bytes < GJKD_LARGE_BYTES;
    struct deferred *deferred = is_freed_here ? NULL : malloc(sizeof *deferred);
    if (deferred == NULL) {
        release(object);
        return;
    }
    *deferred = (struct deferred){{.run = on_work}, object, release};
    gjkd_pool_resume(loop_pool, &deferred->task);
}
