/*
 * Work sharing with yielding. The first runner begins the job and does the chunks that this
 * leaves. Before each chunk it looks at the pool: when a worker is idle it submits another runner,
 * when something waits for a worker, and it has worked for as long as a chunk is meant to take, it
 * goes to the end of the queue; as often a loop that waits for the processor goes first. The
 * other runners do the same. No runner is submitted that would have to wait. A runner ends when no
 * chunk is left to take, and the last one ends the job.
 */

#include "work/task_group.h"

#include "util/crash.h"
#include "util/timing.h"

#include <sched.h>
#include <uv.h>

static void submit_helper(struct gjkd_task_group *group) {
    unsigned next = atomic_load(&group->sent);
    while (next < GJKD_TASK_GROUP_MAX &&
           !atomic_compare_exchange_weak(&group->sent, &next, next + 1)) {
    }
    if (next < GJKD_TASK_GROUP_MAX) {
        atomic_fetch_add(&group->out, 1);
        gjkd_pool_resume(group->pool, &group->runners[next].task);
    }
}

/* False: there are chunks left for later. */
static bool do_chunks(struct gjkd_task_group *group) {
    struct gjkd_chunks *chunks = group->chunks;
    struct gjk_arena memory;
    gjk_arena_init(&memory, 0);
    gjk_arena_charge(&memory, chunks->account);
    gjk_budget budget = gjk_budget_make(chunks->is_over, chunks->user);
    gjk_arena_set_budget(&memory, &budget);
    const uint64_t begun_ns = uv_hrtime();
    uint64_t yielded_ns = begun_ns;
    while (gjkd_chunks_waiting(chunks) > 0) {
        if (gjkd_chunks_waiting(chunks) > 1 && gjkd_pool_has_idle_worker(group->pool)) {
            submit_helper(group);
        }
        (void)gjkd_chunks_step(chunks, &memory);
        const uint64_t now_ns = uv_hrtime();
        if (gjkd_chunks_waiting(chunks) == 0 ||
            (gjkd_pool_has_waiting(group->pool) && now_ns - begun_ns >= GJKD_CHUNK_NS)) {
            break;
        }
        if (now_ns - yielded_ns >= GJKD_CHUNK_NS) {
            sched_yield(); /* a loop may have been woken that was not to interrupt just then */
            yielded_ns = uv_hrtime();
        }
    }
    gjk_arena_fini(&memory);
    return gjkd_chunks_waiting(chunks) == 0;
}

/* False: the job took longer than a short one may. */
static bool begin(struct gjkd_task_group *group, bool is_short) {
    if (!group->is_begun) { /* there is no other runner yet */
        if (is_short && !group->try(group->job)) {
            return false;
        }
        if (!is_short) {
            group->begin(group->job);
        }
        group->is_begun = true;
    }
    return true;
}

static gjkd_task_result on_work(struct gjkd_task *task) {
    struct gjkd_task_group *group = ((struct gjkd_runner *)(void *)task)->group;
    const char *before = gjkd_crash_note_route(group->name);
    const int64_t before_ns = gjkd_timing_thread_ns();
    gjkd_task_result result = GJKD_TASK_REQUEUE;
    bool is_done = begin(group, task->is_short) && do_chunks(group);
    atomic_fetch_add(&group->used_ns, (uint64_t)(gjkd_timing_thread_ns() - before_ns));
    if (is_done) {
        result = GJKD_TASK_DETACHED;
        if (atomic_fetch_sub(&group->out, 1) == 1) {
            result = group->end(group->job, task) ? GJKD_TASK_COMPLETE : GJKD_TASK_DETACHED;
        }
    }
    gjkd_crash_note_route(before);
    return result;
}

static void on_done(struct gjkd_task *task) {
    struct gjkd_task_group *group = ((struct gjkd_runner *)(void *)task)->group;
    group->done(group);
}

bool gjkd_task_group_start(struct gjkd_task_group *group) {
    group->is_begun = false;
    atomic_init(&group->sent, 1);
    atomic_init(&group->out, 1);
    atomic_init(&group->used_ns, 0);
    for (unsigned i = 0; i < GJKD_TASK_GROUP_MAX; i++) {
        group->runners[i] = (struct gjkd_runner){.group = group};
        group->runners[i].task.completions = group->completions;
        group->runners[i].task.client = group->client;
        group->runners[i].task.run = on_work;
        group->runners[i].task.done = on_done;
    }
    group->runners[0].task.writer = group->writer;
    group->runners[0].task.is_short = group->try != NULL;
    return gjkd_pool_submit(group->pool, &group->runners[0].task);
}
