/* Who frees what is large? The thread knows whether it is a loop's; its loop then sends out a task
 * that nobody waits for, and that is never refused. */

#include "work/deferred_free.h"

#include <stdlib.h>

struct disposal {
    struct gjkd_task task; /* first: tasks are cast back */
    void *thing;
    void (*release)(void *thing);
};

static _Thread_local struct gjkd_pool *my_pool; /* NULL: this is no loop's thread */

void gjkd_deferred_free_begin(struct gjkd_pool *pool) {
    my_pool = pool;
}

void gjkd_deferred_free_end(void) {
    my_pool = NULL;
}

static gjkd_turn on_work(struct gjkd_task *task) {
    const struct disposal *disposal = (struct disposal *)(void *)task;
    disposal->release(disposal->thing);
    free(task);
    return GJKD_TURN_OVER;
}

void gjkd_deferred_free(void *thing, uint64_t bytes, void (*release)(void *thing)) {
    bool is_mine = my_pool == NULL || bytes < GJKD_LARGE_BYTES;
    struct disposal *disposal = is_mine ? NULL : malloc(sizeof *disposal);
    if (disposal == NULL) {
        release(thing);
        return;
    }
    *disposal = (struct disposal){{.run = on_work}, thing, release};
    gjkd_pool_resume(my_pool, &disposal->task);
}
