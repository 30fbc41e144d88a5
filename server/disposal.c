/* Who frees what is large? The thread knows whether it is a loop's; its loop then sends out a task
 * that nobody waits for, and that is never refused. */

#include "disposal.h"

#include <stdlib.h>

struct disposal {
    struct gjkd_task task; /* first: tasks are cast back */
    void *thing;
    void (*release)(void *thing);
};

static _Thread_local struct {
    struct gjkd_pool *pool; /* NULL: this is no loop's thread */
    uv_loop_t *loop;
} mine;

void gjkd_disposal_begin(struct gjkd_pool *pool, uv_loop_t *loop) {
    mine.pool = pool;
    mine.loop = loop;
}

void gjkd_disposal_end(void) {
    mine.pool = NULL;
    mine.loop = NULL;
}

static void on_work(struct gjkd_task *task) {
    const struct disposal *disposal = (struct disposal *)(void *)task;
    disposal->release(disposal->thing);
}

static void on_done(struct gjkd_task *task) {
    free(task);
}

void gjkd_dispose(void *thing, uint64_t bytes, void (*release)(void *thing)) {
    bool is_mine = mine.pool == NULL || bytes < GJKD_LARGE_BYTES;
    struct disposal *disposal = is_mine ? NULL : malloc(sizeof *disposal);
    if (disposal == NULL) {
        release(thing);
        return;
    }
    *disposal = (struct disposal){{.run = on_work, .done = on_done}, thing, release};
    gjkd_pool_resume(mine.pool, mine.loop, &disposal->task);
}
