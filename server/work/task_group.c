/*
 * Who works on a job, and for how long at a stretch? The first runner runs the handler, then the
 * parts that this leaves. Before each part it looks around: is a worker idle, it sends for help;
 * does somebody wait for one, it goes to the end of the queue; a loop that waits for the processor
 * goes first. Helpers do the same. Nobody is sent for who would have to be waited for. A runner
 * ends when no part is left to take, and the last one to end ends the job.
 */

#include "work/task_group.h"

#include "util/crash.h"

#include <sched.h>

static void send_for_help(struct gjkd_task_group *group) {
    unsigned next = atomic_load(&group->sent);
    while (next < GJKD_TASK_GROUP_MAX &&
           !atomic_compare_exchange_weak(&group->sent, &next, next + 1)) {
    }
    if (next < GJKD_TASK_GROUP_MAX) {
        atomic_fetch_add(&group->out, 1);
        gjkd_pool_resume(&group->request->context->pool, &group->runners[next].task);
    }
}

/* False: there are parts left for later. */
static bool do_parts(struct gjkd_task_group *group) {
    struct gjkd_request *request = group->request;
    struct gjkd_pool *pool = &request->context->pool;
    struct gjk_arena memory;
    gjk_arena_init(&memory, GJKD_REQUEST_BYTES_MAX);
    while (gjkd_chunks_waiting(request) > 0) {
        if (gjkd_chunks_waiting(request) > 1 && gjkd_pool_has_idle_worker(pool)) {
            send_for_help(group);
        }
        (void)gjkd_chunks_step(request, &memory);
        if (gjkd_pool_has_waiting(pool) || gjkd_chunks_waiting(request) == 0) {
            break;
        }
        sched_yield(); /* a loop may have been woken that was not to interrupt just then */
    }
    gjk_arena_fini(&memory);
    return gjkd_chunks_waiting(request) == 0;
}

static gjkd_task_result on_work(struct gjkd_task *task) {
    struct gjkd_task_group *group = ((struct gjkd_runner *)(void *)task)->group;
    struct gjkd_request *request = group->request;
    const char *before = gjkd_crash_note_route(request->match.operation->path);
    if (!group->is_begun) {
        group->is_begun = true; /* there is no other runner yet */
        gjkd_request_start(request);
    }
    gjkd_task_result turn = GJKD_TASK_REQUEUE;
    if (do_parts(group)) {
        turn = GJKD_TASK_DETACHED;
        if (atomic_fetch_sub(&group->out, 1) == 1) {
            turn = GJKD_TASK_COMPLETE;
            gjkd_request_end(request);
        }
    }
    gjkd_crash_note_route(before);
    return turn;
}

static void on_done(struct gjkd_task *task) {
    struct gjkd_task_group *group = ((struct gjkd_runner *)(void *)task)->group;
    group->done(group);
}

bool gjkd_task_group_start(struct gjkd_task_group *group) {
    group->is_begun = false;
    atomic_init(&group->sent, 1);
    atomic_init(&group->out, 1);
    for (unsigned i = 0; i < GJKD_TASK_GROUP_MAX; i++) {
        group->runners[i] = (struct gjkd_runner){.group = group};
        group->runners[i].task.completions = group->completions;
        group->runners[i].task.run = on_work;
        group->runners[i].task.done = on_done;
    }
    return gjkd_pool_submit(&group->request->context->pool, &group->runners[0].task);
}
